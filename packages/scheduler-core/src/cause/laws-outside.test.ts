import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent, isLongForm } from '../../../../testing/extent.ts'
import { hostDrawn, placesDrawn, refusal, requestDrawn, typedOnly } from './testing/arbitraries.suite.ts'
import { causeIn, fleetOf, foundOf, profiles, typedForm } from './testing/drawn.ts'
import { admittedOf, saidOf } from './testing/said.ts'

const RUNS = byExtent(150, 10_000)

describe('the laws of the cause: hosts that the request is not about', () => {
  test('hosts that the request does not admit never change it, however many and however near they are', () => {
    let outsiders = 0
    fc.assert(
      fc.property(refusal, fc.array(hostDrawn, { minLength: 1, maxLength: 6 }), ({ hosts, asked, profile }, others) => {
        // members of groups count wherever they are
        const more = others.map((host, i) => ({ ...host, name: `other${i}`, isMember: false, isHome: false }))
        // where it finds hosts among all of them, those are what its group lives on
        fc.pre(foundOf(fleetOf([...hosts, ...more]), asked, profile) < asked.numInstances)
        const admitted = admittedOf(fleetOf([...hosts, ...more]), asked, profile)
        const outside = more.filter((_, i) => !admitted.has(hosts.length + i))
        outsiders += outside.length
        const fleet = fleetOf(hosts)
        expect(saidOf(causeIn(fleetOf([...hosts, ...outside]), asked, profile))).toEqual(saidOf(causeIn(fleet, asked, profile)))
      }),
      { numRuns: RUNS },
    )
    expect(outsiders).toBeGreaterThan(0)
  })

  test('hosts outside of the places that it names never change what it is counted under, where it admits none', () => {
    const met = new Set<string>()
    let within = 0
    fc.assert(
      fc.property(
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        requestDrawn,
        placesDrawn,
        typedOnly,
        fc.array(hostDrawn, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...profiles),
        (hosts, drawn, { aggregates, ...place }, more, others, profile) => {
          const asked = typedForm(
            { ...drawn, ...place },
            { ...more, ...(aggregates.length > 0 && { requestedDestination: { aggregates } }) },
          )
          const base = causeIn(fleetOf(hosts), asked, profile)
          fc.pre(base.admitted === 0)
          const isEachThere = base.admission.every(({ alone, each }) => alone !== 0 && each.every((one) => one.alone > 0))
          within += Number(isEachThere && base.exclusive.within.length > 0)
          const [zone, rack, isMember, isHome] = [null, null, false, false]
          const outside = others.map((host, i) => ({ ...host, name: `other${i}`, zone, rack, isMember, isHome }))
          // the order in which hosts have reported is none of the request's either
          for (const all of [
            [...hosts.map((host, i) => ({ ...host, name: `h${i}` })), ...outside],
            [...outside, ...hosts.map((host, i) => ({ ...host, name: `h${i}` }))],
          ]) {
            const { code, reasons, admitted, exclusive, nearest } = causeIn(fleetOf(all), asked, profile)
            expect([code, reasons[0]?.code, admitted]).toEqual([base.code, base.code, 0])
            // of what none of the hosts has the counts say it, as long as there is none elsewhere
            if (isEachThere) expect([exclusive, nearest?.name]).toEqual([base.exclusive, base.nearest?.name])
          }
          met.add(base.code ?? '')
        },
      ),
      { numRuns: byExtent(600, 10_000) },
    )
    // in the short form chance may leave some of them out
    const ofDevices = isLongForm ? ['gpu.none', 'gpu.model', 'numa.not_reported', 'pci.not_reported', 'pci.short'] : []
    expect([...met]).toEqual(expect.arrayContaining([...ofDevices, 'host.excluded', 'zone.other', 'trait.missing']))
    expect(within).toBeGreaterThan(0)
  })
})
