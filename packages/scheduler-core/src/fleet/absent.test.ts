import { describe, expect, test } from 'vitest'
import { examine } from '../examine/examine.ts'
import { verdictMatrix, withoutGone } from '../examine/verdict-matrix.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import { type Change, FEATURE_LEVEL } from '../records/change.ts'
import type { Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import { decide } from '../schedulers/decide.ts'
import { aLog, aReport, aRequest, aUuid } from '../testing/index.ts'
import { atOnce } from '../values/steps.ts'
import { countCapacity } from '../what-if/capacity.ts'
import { utilisationOf } from '../what-if/utilisation.ts'
import type { Fleet } from './fleet.ts'
import { openOverlay } from './overlay.ts'
import { WarningCounter } from './warnings.ts'

// These tests check that decisions, counts and explanations are the same for a forgotten host and for a host that never existed.

const HOSTS = ['h1', 'h2', 'h3', 'h4']
const zoneOf = (host: string, i: number): Change => ({
  type: 'aggregate',
  uuid: aUuid(0x100 + i),
  expectedVersion: 0,
  next: { name: `zone of ${host}`, metadata: { availability_zone: `z${i % 2}`, rack: host }, hosts: [host] },
})

/** A fleet with these hosts. The hosts in `left` reported once and were then forgotten. */
function fleetOf(hosts: readonly string[], left: readonly string[] = []): Fleet {
  const log = aLog()
  const all = HOSTS.filter((host) => hosts.includes(host) || left.includes(host))
  log.append([
    { type: 'feature', level: FEATURE_LEVEL },
    ...all.map((host) => aReport(host, { vcpus: 4 + HOSTS.indexOf(host), instances: host === 'h2' ? null : [] })),
    ...all.map((host) => zoneOf(host, HOSTS.indexOf(host))),
  ])
  log.append([{ type: 'forget', hosts: left.map((host) => ({ host, node: host })), isForced: false, reason: 'scrapped' }])
  return log.fleet
}

const requests: Readonly<Record<string, RequestSpec>> = {
  'one instance': aRequest({ vcpus: 2 }),
  'three instances': aRequest({ vcpus: 2, numInstances: 3 }),
  'three apart': aRequest({ vcpus: 1, numInstances: 3, instanceGroup: { uuid: aUuid(9), policy: 'ANTI_AFFINITY' } }),
  'more than any host has': aRequest({ vcpus: 64 }),
  'a forgotten host by name': aRequest({ vcpus: 1, forceHosts: ['h1'] }),
  'a spread over hosts': aRequest({
    vcpus: 1,
    numInstances: 4,
    instanceGroup: { uuid: aUuid(9), policy: 'SOFT_ANTI_AFFINITY' },
    topologySpread: [{ topologyKey: 'rack', maxSkew: 1 }],
  }),
}

function decided(fleet: Fleet, profile: Profile, request: RequestSpec) {
  const overlay = openOverlay(fleet)
  const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
  const given = { id: 'd', request, profile, seed: 's', attempt: 1, alternatesPerInstance: 1, allOrNothing: false, claimIds }
  const { parts, answer, record } = decide(fleet, overlay, given)
  overlay.discard()
  return { parts, answer, record }
}

/**
 * The explanation of a decision, with host names instead of indexes. The indexes of hosts differ between the two fleets, because the
 * tombstone of a forgotten host keeps its index.
 */
function explained(fleet: Fleet, profile: Profile, request: RequestSpec) {
  const found = examine(fleet, request, profile, 's')
  const matrix = withoutGone(verdictMatrix(found, found))
  return {
    hostCount: found.hostCount,
    steps: found.steps,
    ranked: found.ranked.map((position) => fleet.hosts.get(found.weighed.hosts[position] as never).host),
    totals: found.ranked.map((position) => found.weighed.totals[position]),
    matrix,
    names: fleet.hosts.present.map(({ host }) => host),
  }
}

// The random choices of the scheduler `chance` depend on the indexes of hosts, and tombstones keep their indexes. Therefore, only the set
// of chosen hosts is compared for profiles with this scheduler.
const isDrawn = ({ scheduler }: Profile): boolean => scheduler === 'chance'

describe.each(builtInProfiles.filter((profile) => !isDrawn(profile)).map((profile) => [profile.name, profile] as const))(
  'by the profile %s',
  (_name, profile) => {
    describe.each([[['h1']], [['h3']], [['h1', 'h4']], [['h1', 'h2', 'h3', 'h4']]])('without %j', (left) => {
      const there = HOSTS.filter((host) => !left.includes(host))
      test.each(Object.entries(requests))('%s', (_about, request) => {
        const [never, tombstones] = [fleetOf(there), fleetOf(there, left)]
        expect(decided(tombstones, profile, request)).toEqual(decided(never, profile, request))
        expect(explained(tombstones, profile, request)).toEqual(explained(never, profile, request))
      })
    })
  },
)

test.each(builtInProfiles.filter(isDrawn))('the profile $name draws only present hosts', (profile) => {
  const { parts, record } = decided(fleetOf(['h2', 'h3'], ['h1', 'h4']), profile, aRequest({ vcpus: 1, numInstances: 6 }))
  expect(new Set(parts.map(({ host }) => host))).toEqual(new Set(['h2', 'h3']))
  expect(record.instances.map(({ candidates }) => candidates)).toEqual([2, 2, 2, 2, 2, 2])
})

test('capacity, utilisation and warnings do not include a forgotten host', () => {
  const [never, tombstones] = [fleetOf(['h2', 'h3']), fleetOf(['h2', 'h3'], ['h1', 'h4'])]
  const profile = builtInProfiles[0] as Profile
  const read = (fleet: Fleet) => ({
    capacity: atOnce(
      countCapacity(fleet, {
        request: aRequest({ vcpus: 1 }),
        profile,
        seed: 's',
        limit: 1_000,
        groupsOf: ({ zone }) => [zone],
        isOver: () => false,
      }),
    ),
    use: atOnce(utilisationOf(fleet)),
    warnings: atOnce(new WarningCounter(fleet).count()),
  })
  expect(read(tombstones)).toEqual(read(never))
})

// D09 is Kubernetes issue #106971, pull request 107009
test('D09: after a disabled host is forgotten, it is not a domain of a topology spread', () => {
  const log = aLog()
  const spread = aRequest({
    vcpus: 1,
    instanceGroup: { uuid: aUuid(9), policy: 'SOFT_ANTI_AFFINITY' },
    topologySpread: [{ topologyKey: 'host', maxSkew: 1 }],
    numInstances: 4,
  })
  const profile = builtInProfiles[0] as Profile
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...['h1', 'h2', 'h3'].map((host) => aReport(host, { instances: [] }))])
  log.append([{ type: 'status', host: 'h3', node: 'h3', status: 'DISABLED', reason: 'scrapped' }])
  expect(decided(log.fleet, profile, spread).parts).toHaveLength(2)
  log.append([{ type: 'forget', hosts: [{ host: 'h3', node: 'h3' }], isForced: false, reason: 'scrapped' }])
  expect(
    decided(log.fleet, profile, spread)
      .parts.map(({ host }) => host)
      .sort(),
  ).toEqual(['h1', 'h1', 'h2', 'h2'])
})
