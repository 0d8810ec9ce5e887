import { expect, test } from 'vitest'
import { reasonText } from '../decision/reason-text.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import type { TopologySpread } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aFleet, aRequest, aUuid } from '../testing/index.ts'
import { examine } from './examine.ts'

const profile = builtInProfiles.find(({ name }) => name === 'first-fit') as Profile

/** Where four members go on two hosts of rack r1, one of rack r2, and one of no rack, each host with room for all; and why the next is refused. */
function spread(rule: Partial<TopologySpread>) {
  const fleet = aFleet({ a: {}, b: {}, c: {}, d: {} })
  const rack = (uuid: string, value: string, hosts: readonly string[]) => ({
    type: 'aggregate' as const,
    uuid,
    expectedVersion: 0,
    next: { name: value, metadata: { rack: value }, hosts },
  })
  const changes = [rack(aUuid(1), 'r1', ['a', 'b']), rack(aUuid(2), 'r2', ['c'])]
  fleet.apply({ format: 1, id: 'racks', writer: 't', basis: fleet.place, changes, revision: 2, at: 1_000 })
  const request = aRequest({
    numInstances: 4,
    instanceGroup: { uuid: aUuid(3), policy: 'SOFT_AFFINITY' },
    topologySpread: [{ topologyKey: 'rack', ...rule }],
  })
  const overlay = openOverlay(fleet)
  const claimIds = ['1', '2', '3', '4']
  const given = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false, claimIds }
  const hosts = decide(fleet, overlay, given).parts.map(({ host }) => host)
  const { checksOf } = examine(fleet, request, profile, 's')
  const reasons = fleet.hosts.records.flatMap(({ host, index }) =>
    checksOf(index).flatMap(({ reason }) => (reason === undefined ? [] : [`${host}: ${reason.code}: ${reasonText(reason)}`])),
  )
  overlay.discard()
  return { hosts, reasons }
}

test.each([
  {
    name: 'no rack holds more than one over the other',
    rule: { maxSkew: 1 },
    hosts: ['a', 'c', 'a', 'c'],
    reasons: ['d: topology.no_domain: The host is in no domain of rack.'],
  },
  {
    name: 'no rack holds more than one',
    rule: { maxPerDomain: 1 },
    hosts: ['a', 'c'],
    reasons: [
      'a: topology.full: rack r1: fewer than 1 members wanted; it holds 1.',
      'b: topology.full: rack r1: fewer than 1 members wanted; it holds 1.',
      'c: topology.full: rack r2: fewer than 1 members wanted; it holds 1.',
      'd: topology.no_domain: The host is in no domain of rack.',
    ],
  },
  {
    name: 'one rack may hold three more',
    rule: { maxSkew: 3 },
    hosts: ['a', 'a', 'a', 'c'],
    reasons: ['d: topology.no_domain: The host is in no domain of rack.'],
  },
])('$name', ({ rule, hosts, reasons }) => {
  expect(spread(rule)).toEqual({ hosts, reasons })
})
