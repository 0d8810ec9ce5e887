import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { draws, isLongForm } from '../../../../testing/extent.ts'
import { examine } from '../examine/examine.ts'
import { PASSES_ALL } from '../pipeline/findings.ts'
import { shortfallsOf, shortfallsText } from './shortfalls.ts'
import { hostDrawn, refusal } from './testing/arbitraries.suite.ts'
import { comparableParts } from './testing/cause-views.ts'
import { causeIn, fleetOf, foundOf, mend } from './testing/drawn.ts'

const RUNS = draws(40, 200, 10_000)

describe('the laws of the cause: hosts without devices, and shortfalls of the nearest host', () => {
  test('adding hosts without devices and cells never changes the cause of a request for devices or cells that admits a host', () => {
    let without = 0
    fc.assert(
      fc.property(refusal, fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), ({ hosts, asked, profile }, others) => {
        fc.pre(asked.gpus !== null || asked.pciRequests.length > 0 || asked.numaTopology !== null)
        const base = causeIn(fleetOf(hosts), asked, profile)
        fc.pre(base.admitted > 0)
        const more = others.map(({ shape, ...host }, i) => ({
          ...{ ...host, name: `other${i}`, isMember: false, isHome: false },
          shape: { ...shape, gpus: [], pciPools: [], numaCells: [] },
        }))
        without += more.length
        expect(comparableParts(causeIn(fleetOf([...hosts, ...more]), asked, profile))).toEqual(comparableParts(base))
      }),
      draws(40, 200, 3_000),
    )
    expect(without).toBeGreaterThan(0)
  })

  test('if exactly the named shortfalls of the nearest host are resolved, the request fits on that host', () => {
    const met = new Set<string>()
    fc.assert(
      fc.property(refusal, ({ hosts, drawn, asked, profile }) => {
        const { nearest, tooFew, onOneHost, instances } = causeIn(fleetOf(hosts), asked, profile)
        if (nearest === null || tooFew !== null) return
        // if a host has too few cells for one instance, the cause does not say how large the cells must be for several instances
        const hasTooFewCells = nearest.refusals.some(({ reason: { code } }) => code === 'numa.not_reported' || code === 'numa.cells')
        if (onOneHost !== null && hasTooFewCells) return
        // if guests have several cells, the earlier instances would use other cells of a host with larger cells
        if ((onOneHost !== null || (instances?.found ?? 0) > 0) && drawn.cells.length > 1) return
        // Nova chooses the host for the first member alone, so it can choose a host other than the one whose shortfalls were resolved
        if (onOneHost !== null && profile.compat === 'nova') return
        // the host whose shortfalls were resolved adds its domain to the topology spread, so the earlier instances can be placed on other
        // hosts
        if ((instances?.found ?? 0) > 0 && asked.topologySpread.length > 0) return
        const position = Number(nearest.name.host.slice(1))
        const host = hosts[position]
        const mended = host && mend(host, nearest, drawn)
        if (mended === undefined) return
        const text = shortfallsText(shortfallsOf(nearest))
        for (const { required, actual } of shortfallsOf(nearest))
          for (const number of [required, actual])
            if (typeof number === 'number') expect(text).toMatch(new RegExp(`\\b(?:${number}|no|none)\\b`))
        for (const { reason } of nearest.refusals) met.add(reason.code.split('.')[0] ?? '')
        const better = fleetOf(hosts.map((one, i) => (i === position ? mended : one)))
        if (onOneHost !== null) met.add('together')
        if (asked.numInstances > 1) met.add('several')
        const least = onOneHost ?? (instances?.found ?? 0) + 1
        expect([text, foundOf(better, asked, profile) >= least]).toEqual([text, true])
        if (asked.numInstances === 1) expect(examine(better, asked, profile, 's').firstRefusing[position]).toBe(PASSES_ALL)
      }),
      RUNS,
    )
    // the random requests of a long run have every kind of shortfall
    const kinds = ['cpu', 'disk', 'gpu', 'host', 'memory', 'numa', 'pci', 'several', 'together', 'trait']
    expect([...met].sort()).toEqual(expect.arrayContaining(isLongForm ? kinds : ['cpu', 'host', 'memory']))
  })
})
