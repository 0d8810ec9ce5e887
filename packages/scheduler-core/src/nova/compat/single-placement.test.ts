import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { Fleet } from '../../fleet/fleet.ts'
import { Historian, histories } from '../../fleet/history.suite.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { novaReport } from '../../hosts/testing/allocation.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { profileSchema } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type Decided, decide } from '../../schedulers/decide.ts'
import { aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { novaFilters } from '../filters/index.ts'
import { importedRequest, wireObject } from '../testing/builders.ts'
import { novaWeighers } from '../weighers/index.ts'

/** These filters refuse most hosts of the test, or need options. */
const LEFT_OUT = ['TypeAffinityFilter', 'TrustedFilter', 'IsolatedHostsFilter', 'ExactRamFilter', 'ExactCoreFilter', 'ExactDiskFilter']

const aProfile = (more: object) =>
  profileSchema.parse({
    ...{ name: 'all-of-nova', number: 1, compat: 'nova' },
    filters: novaFilters.filter(({ name }) => !LEFT_OUT.includes(name)).map(({ name }) => ({ name })),
    weighers: novaWeighers.map(({ name }) => ({ name, multiplier: 1 })),
    ...more,
  })

const profiles = [
  aProfile({}),
  aProfile({ hostSubsetSize: 3, weighers: [{ name: 'RAMWeigher', multiplier: -1 }] }),
  aProfile({ weighers: [], nova: { shuffleBest: true } }),
]

/** Nova's filter for NUMA cells fails for a request without an image. */
const small = { vcpus: 1, memoryMb: 0, image: {} }
const shapes: readonly Parameters<typeof aRequest>[0][] = [
  small,
  { ...small, memoryMb: 1 },
  { ...small, vcpus: 100 },
  { ...small, vcpus: 0, gpus: { shareMilli: 300 } },
  { ...small, instanceGroup: { uuid: aUuid(0x63), policy: 'ANTI_AFFINITY' } },
  { ...small, numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1, cpuPolicy: 'dedicated' }] } },
  { ...small, schedulerHints: { different_host: [aUuid(1), aUuid(2)] } },
  { ...small, ignoreHosts: ['h1'] },
]

const decideOn = (fleet: Fleet, numInstances: number, shape: Parameters<typeof aRequest>[0], profile = profiles[0]): Decided =>
  decideRequest(fleet, aRequest({ ...shape, numInstances }), profile)

function decideRequest(fleet: Fleet, request: RequestSpec, profile = profiles[0]): Decided {
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      ...{ id: 'd', profile: profile ?? aProfile({}), seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false },
      request,
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `x${i}`),
    })
  } finally {
    overlay.discard()
  }
}

test('a single instance is placed as the first of two instances, which rounds of the algorithm place', () => {
  let placed = 0
  fc.assert(
    fc.property(histories, (steps) => {
      const fleet = new Fleet()
      const historian = new Historian()
      fleet.apply(historian.first(fleet))
      for (const step of steps) fleet.apply(historian.next(fleet, step))
      for (const profile of profiles)
        for (const shape of shapes) {
          const [one, two] = [decideOn(fleet, 1, shape, profile), decideOn(fleet, 2, shape, profile)]
          expect(one.record.instances[0]).toEqual(two.record.instances[0])
          expect(one.parts[0]).toEqual(two.parts[0])
          expect(one.answer[0]).toEqual(two.answer[0])
          placed += one.parts.length
        }
    }),
    { seed: 51, numRuns: byExtent(5, 200) },
  )
  expect(placed).toBeGreaterThan(10)
})

/** A RequestSpec of Nova for instances whose uuids are sent in addition to it. The uuid in the RequestSpec is that of an earlier call. */
function novaRequest(instanceUuids: readonly string[], data: object): RequestSpec {
  const flavor = wireObject('Flavor', '1.2', { vcpus: 1, memory_mb: 64 })
  const spec = wireObject('RequestSpec', '1.14', { flavor, num_instances: instanceUuids.length, instance_uuid: aUuid(9), ...data })
  return importedRequest(spec, instanceUuids)
}

test.each<[string, object, object, number]>([
  [
    'that already runs on its host, in a group with anti-affinity',
    {
      instance_group: wireObject('InstanceGroup', '1.11', { uuid: aUuid(70), policy: 'anti-affinity', members: [aUuid(1)], hosts: [] }),
    },
    { filters: [{ name: 'ServerGroupAntiAffinityFilter' }] },
    1,
  ],
  [
    'whose scheduler hints are null, so that the preparation of all filters fails',
    { scheduler_hints: null, availability_zone: 'z1' },
    { filters: [{ name: 'AllHostsFilter' }], nova: { placement: { availabilityZone: true } } },
    0,
  ],
])('an instance of a document of Nova %s is placed as the first of two', (_name, data, more, found) => {
  const { fleet, append } = aLog()
  append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { instances: [aUuid(1)] })])
  const [one, two] = [[aUuid(1)], [aUuid(1), aUuid(2)]].map((uuids) =>
    decideRequest(fleet, novaRequest(uuids, data), aProfile({ weighers: [], ...more })),
  )
  expect(one?.record.instances[0]).toEqual(two?.record.instances[0])
  expect(one?.found).toBe(found)
})

test.each(['ALL', 'HARD', 'NONE'] as const)(
  'a rebuild on a forced host runs the filters for rebuilds with forceVerify %s',
  (forceVerify) => {
    const { fleet, append } = aLog()
    append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1')])
    const profile = aProfile({ filters: [{ name: 'ImagePropertiesFilter' }, { name: 'ComputeFilter' }], weighers: [] })
    const shape = {
      ...small,
      image: { architecture: 'ppc64' },
      forceHosts: ['h1'],
      forceVerify,
      schedulerHints: { _nova_check_type: ['rebuild'] },
    }
    const [one, two] = [1, 2].map((count) => decideOn(fleet, count, shape, profile))
    expect(one?.record.instances[0]).toEqual(two?.record.instances[0])
    expect(one?.record.instances[0]?.filters).toContainEqual({ filter: 'ImagePropertiesFilter', entered: 1, passed: 0 })
  },
)

/** Thirty hosts in this many Nova cells in turn. Hosts with higher numbers have more memory. */
function inCells(count: number): Fleet {
  const { fleet, append } = aLog()
  append([{ type: 'feature', level: FEATURE_LEVEL }])
  append(
    Array.from({ length: 30 }, (_, i) => {
      const memory = 10_000 + i * 1_000
      const data = { memory_mb: memory, free_ram_mb: memory, cpu_allocation_ratio: 1, ram_allocation_ratio: 1, disk_allocation_ratio: 1 }
      return novaReport(nameOf(i), data, 1, { cell_uuid: aUuid(0xc0 + (i % count)) })
    }),
  )
  return fleet
}
const nameOf = (i: number): string => `h${String(i).padStart(2, '0')}`

test.each([
  [1, 20, 20],
  [3, 20, 9],
  [3, 2, 2],
  [30, 3, 0],
])('with %i Nova cells and %i alternates wanted, %i are the next best hosts in the cell of the chosen host', (count, most, found) => {
  const fleet = inCells(count)
  const profile = aProfile({
    filters: [{ name: 'AllHostsFilter' }],
    weighers: [{ name: 'RAMWeigher', multiplier: 1 }],
    nova: { maxAttempts: 40 },
  })
  const overlay = openOverlay(fleet)
  const decided = decide(fleet, overlay, {
    ...{ id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: most, allOrNothing: true },
    request: aRequest(small),
    claimIds: ['x0'],
  })
  overlay.discard()
  expect(decided.answer[0]?.selected.host).toBe('h29')
  expect(decided.answer[0]?.alternates.map(({ host }) => host)).toEqual(
    Array.from({ length: found }, (_, i) => nameOf(29 - count * (i + 1))),
  )
})
