import { expect, test } from 'vitest'
import { examine } from '../../examine/examine.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { builtInProfiles } from '../../profiles/built-in.ts'
import type { Profile } from '../../records/profile.ts'
import type { TopologySpread } from '../../request/request-spec.ts'
import { decide } from '../../schedulers/decide.ts'
import { aFleet, aLog, aReport, aRequest, aSolution, aUuid } from '../../testing/index.ts'
import { reasonText } from '../../text/reason-text.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ADMITTED_DOMAINS, SPREAD_ASKED_AGAIN } from '../../values/levels.ts'

export const profile = builtInProfiles.find(({ name }) => name === 'first-fit') as Profile

/**
 * Places four members of a group. The hosts a and b are in rack r1, c is in rack r2, and d is in no rack. Each host could hold all members.
 * Returns the hosts of the members, and the reasons for which each host refuses the next member.
 */
function spread(rule: Partial<TopologySpread>, by = profile, level?: number) {
  const fleet = aFleet({ a: {}, b: {}, c: {}, d: {} })
  const rack = (uuid: string, value: string, hosts: readonly string[]) => ({
    type: 'aggregate' as const,
    uuid,
    expectedVersion: 0,
    next: { name: value, metadata: { rack: value }, hosts },
  })
  const raised = level === undefined ? [] : [{ type: 'feature' as const, level }]
  const changes = [...raised, rack(aUuid(1), 'r1', ['a', 'b']), rack(aUuid(2), 'r2', ['c'])]
  fleet.apply({ format: 1, id: 'racks', writer: 't', basis: fleet.place, changes, revision: 2, at: 1_000 })
  const request = aRequest({
    numInstances: 4,
    instanceGroup: { uuid: aUuid(3), policy: 'SOFT_AFFINITY' },
    topologySpread: [{ topologyKey: 'rack', ...rule }],
  })
  const overlay = openOverlay(fleet)
  const claimIds = ['1', '2', '3', '4']
  const given = { id: 'd', request, profile: by, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false, claimIds }
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
    name: 'with maxSkew 1, no rack holds more than one member more than the other',
    rule: { maxSkew: 1 },
    hosts: ['a', 'c', 'a', 'c'],
    reasons: ['d: topology.no_domain: The host is in no domain of rack.'],
  },
  {
    name: 'with maxPerDomain 1, no rack holds more than one member',
    rule: { maxPerDomain: 1 },
    hosts: ['a', 'c'],
    reasons: [
      'a: topology.full: rack r1: the domain must have no members; it has 1.',
      'b: topology.full: rack r1: the domain must have no members; it has 1.',
      'c: topology.full: rack r2: the domain must have no members; it has 1.',
      'd: topology.no_domain: The host is in no domain of rack.',
    ],
  },
  {
    name: 'with maxSkew 3, a rack can hold three members more than the other',
    rule: { maxSkew: 3 },
    hosts: ['a', 'a', 'a', 'c'],
    reasons: ['d: topology.no_domain: The host is in no domain of rack.'],
  },
])('$name', ({ rule, hosts, reasons }) => {
  expect(spread(rule)).toEqual({ hosts, reasons })
})

test('the facts of a refusal have the count of members in the domain with the fewest members', () => {
  const fleet = aFleet({ a: {}, b: {} })
  const request = aRequest({
    instanceGroup: { uuid: aUuid(3), policy: 'SOFT_AFFINITY' },
    topologySpread: [{ topologyKey: 'host', maxSkew: 1 }],
  })
  const overlay = openOverlay(fleet)
  const asked = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false, claimIds: ['1'] }
  expect(decide(fleet, overlay, asked).parts.map(({ host }) => host)).toEqual(['a'])
  const [host] = fleet.hosts.records
  const { checksOf } = examine(fleet, request, profile, 's')
  const refused = checksOf(host?.index as HostIndex).filter(({ reason }) => reason?.code === 'topology.skew')
  const from = { kind: 'group', ref: `${aUuid(3)} members` }
  expect(refused.flatMap(({ facts = [] }) => facts)).toEqual([
    expect.objectContaining({
      subject: 'host a',
      required: 'fewer than 1',
      actual: 1,
      terms: [{ name: 'members in host b', value: 0, from }],
    }),
  ])
  overlay.discard()
})

test('under compat: nova a rack that was refused for one member can be used for a later member', () => {
  const novaCompat = builtInProfiles.find(({ name }) => name === 'nova-compat') as Profile
  const racksOf = (level: number) => spread({ maxSkew: 1 }, novaCompat, level).hosts.map((host) => (host === 'c' ? 'r2' : 'r1'))
  expect(racksOf(SPREAD_ASKED_AGAIN)).toEqual(['r1', 'r2', 'r1', 'r2'])
  expect(racksOf(SPREAD_ASKED_AGAIN - 1)).toHaveLength(3)
})

test('F11: the solver counts the same domains as the filter', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: ADMITTED_DOMAINS }, ...['a', 'b', 'c'].map((name) => aReport(name))])
  const zone = { name: 'z1', hosts: ['a', 'b'], metadata: { availability_zone: 'z1' } }
  log.append([{ type: 'aggregate', uuid: aUuid(10), expectedVersion: 0, next: zone }])
  const byDefault = builtInProfiles.find(({ name }) => name === 'default') as Profile
  const solving: Profile = { ...byDefault, scheduler: 'solver' }
  const request = aRequest({
    availabilityZone: 'z1',
    numInstances: 4,
    instanceGroup: { uuid: aUuid(3), policy: 'SOFT_ANTI_AFFINITY' },
    topologySpread: [{ topologyKey: 'host', maxSkew: 1 }],
  })
  const overlay = openOverlay(log.fleet)
  const solution = aSolution(solving, request, log.fleet, overlay, 's')
  expect(solution.status).toBe('OPTIMAL')
  const claimIds = ['1', '2', '3', '4']
  const asked = {
    id: 'd',
    request,
    profile: solving,
    seed: 's',
    attempt: 1,
    alternatesPerInstance: 0,
    allOrNothing: true,
    claimIds,
    solution,
  }
  const { parts, record } = decide(log.fleet, overlay, asked)
  overlay.discard()
  expect(parts.map(({ host }) => host).sort()).toEqual(['a', 'a', 'b', 'b'])
  expect(record.solver?.why === null || record.solver?.why === 'FILTER_BETTER').toBe(true)
})
