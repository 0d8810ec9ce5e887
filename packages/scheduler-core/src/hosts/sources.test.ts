import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { aNovaHost, byHand, OLD, S } from '../claims/testing/nova-host.ts'
import { realHistories, realSettings } from '../claims/testing/real-histories.suite.ts'
import { RealHosts } from '../claims/testing/real-hosts.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { isLive } from '../records/claim.ts'
import { claimsOf } from './sources.ts'

/** The amounts of hosts that no claim accounts for, although nothing is being placed. */
const unexplained = ({ hosts }: Fleet): readonly string[] =>
  hosts.records.flatMap((record) =>
    [...hosts.classes.keys()].flatMap((name) => {
      const { ref, claims } = claimsOf(hosts, record.index, name)
      return claims?.picked === 0 ? [] : `${record.host} ${name}: ${ref}`
    }),
  )

test('while nothing is placed, claims account for every claimed amount, also those whose instances run on after their end', () => {
  let held = 0
  fc.assert(
    fc.property(realSettings, realHistories, (setting, history) => {
      const real = new RealHosts(setting)
      for (const action of history) {
        real.do(action)
        expect(unexplained(real.fleet)).toEqual([])
        for (const { claims } of real.fleet.hosts.records) for (const claim of claims) if (!isLive(claim) && claim.extra !== null) held++
      }
    }),
    { seed: 53, numRuns: byExtent(40, 2_000) },
  )
  expect(held).toBeGreaterThan(10)
})

test.each(byHand.filter((how) => how !== 'confirm'))('amounts that stay held after a call (%s) are those of an ended claim', (how) => {
  const { call, claim, log, report, reserve } = aNovaHost()
  report(OLD, 1)
  reserve('a', S, { ttlMs: 60_000 })
  const until = new Date(claim('a')?.expiresAt ?? 0).toISOString()
  reserve('b', S, { ttlMs: 90_000 })
  call(how, 'a')
  const { fleet } = log
  expect(unexplained(fleet)).toEqual([])
  const { hosts } = fleet
  const host = hosts.present[0]?.index
  if (host === undefined) throw new Error('the host is missing')
  const source = () => claimsOf(hosts, host, 'VCPU')
  expect(source().ref).toBe(`1 claim, and 1 ended claim whose amounts stay held, the first of which ends ${until}`)
  expect(source().claims).toMatchObject({ count: 2, picked: 0 })
  const overlay = openOverlay(fleet)
  const { host: name, node } = hosts.get(host)
  overlay.hold({ claim: 'c', instance: null, host: name, node, grants: { classes: { VCPU: 1 } } }, null)
  expect(source().ref).toContain(', and 1 for earlier placements of the same evaluation')
  overlay.discard()
})
