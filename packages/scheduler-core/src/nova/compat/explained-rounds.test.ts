import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { causeText } from '../../cause/cause-text.ts'
import { examineAgain } from '../../decision/replay.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import { type Profile, profileSchema } from '../../records/profile.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { type Decided, decide } from '../../schedulers/decide.ts'
import { aClaim, aLog, aReport, aRequest, aUuid } from '../../testing/index.ts'
import { reasonText } from '../../text/reason-text.ts'
import { atOnce } from '../../values/steps.ts'
import { novaFilters } from '../filters/index.ts'
import { importedRequest, wireObject } from '../testing/builders.ts'
import { novaWeighers } from '../weighers/index.ts'

/** These filters refuse most hosts of the test, or need options. */
const LEFT_OUT = ['TypeAffinityFilter', 'TrustedFilter', 'IsolatedHostsFilter', 'ExactRamFilter', 'ExactCoreFilter', 'ExactDiskFilter']
const usable = novaFilters.map(({ name }) => name).filter((name) => !LEFT_OUT.includes(name))

const aProfile = (more: object = {}): Profile =>
  profileSchema.parse({
    ...{ name: 'rounds', number: 1, compat: 'nova' },
    filters: usable.map((name) => ({ name })),
    weighers: novaWeighers.map(({ name }) => ({ name, multiplier: 1 })),
    ...more,
  })

function decided(fleet: Fleet, request: RequestSpec, profile: Profile): Decided {
  const overlay = openOverlay(fleet)
  try {
    return decide(fleet, overlay, {
      ...{ id: 'd', profile, seed: 's', attempt: 1, alternatesPerInstance: 0, allOrNothing: false },
      request,
      claimIds: Array.from({ length: request.numInstances }, (_, i) => `x${i}`),
    })
  } finally {
    overlay.discard()
  }
}

/** What the record says about an instance, and what its explanation says. The record lists all hosts that passed, because there are few. */
function bothViews(fleet: Fleet, { record, answer }: Decided, profile: Profile) {
  return record.instances.map(({ best, filters, candidates, tied }, instance) => {
    const recorded = {
      passed: filters.at(-1)?.passed ?? candidates,
      ranks: best.map(({ host, raw, total }) => ({ host, raw, total })),
      tied,
      chosen: answer[instance]?.selected.host,
    }
    const explained = examineAgain(
      fleet,
      [],
      record,
      instance,
      ({ ranked, weighed, steps }) => {
        const ranks = ranked.map((position) => ({
          host: fleet.hosts.records[weighed.hosts[position] as number]?.host,
          raw: weighed.weighers.map(({ raw }) => raw[position]),
          total: weighed.totals[position],
        }))
        return {
          passed: steps.at(-1)?.passed,
          ranks: ranks.slice(0, 10),
          tied: ranks.filter(({ total }) => total === ranks[0]?.total).length,
          chosen: ranks.find(({ host }) => host === answer[instance]?.selected.host)?.host,
        }
      },
      profile,
    )
    return { recorded, explained }
  })
}

/** Checks every instance that was tried. Returns how many later instances there were. */
function checkExplained(fleet: Fleet, request: RequestSpec, profile: Profile): number {
  const made = decided(fleet, request, profile)
  for (const { recorded, explained } of bothViews(fleet, made, profile)) expect(explained).toEqual(recorded)
  return made.record.instances.length - 1
}

/** A RequestSpec of Nova whose uuids are sent in addition to it. */
function ofNova(instanceUuids: readonly string[], data: object): RequestSpec {
  const flavor = wireObject('Flavor', '1.2', { vcpus: 1, memory_mb: 1_024 })
  const spec = wireObject('RequestSpec', '1.14', {
    flavor,
    num_instances: instanceUuids.length,
    image: wireObject('ImageMeta', '1.8', {}),
    ...data,
  })
  return importedRequest(spec, instanceUuids)
}

const groupOf = (policy: string, members: readonly string[]) => ({
  instance_group: wireObject('InstanceGroup', '1.11', { uuid: aUuid(70), policy, members, hosts: [] }),
})

const cells = (count: number, cpus: number, more: object = {}) => ({
  numaTopology: {
    cells: Array.from({ length: count }, (_, id) => ({
      id,
      cpus: Array.from({ length: cpus }, (_, i) => id * cpus + i),
      memoryMb: 512,
      ...more,
    })),
  },
})

const aHost = fc.record({
  vcpus: fc.constantFrom(2, 4, 8),
  memoryMb: fc.constantFrom(2_048, 3_072, 4_096, 8_192),
  localGb: fc.constantFrom(10, 30),
  runs: fc.subarray([1, 2, 3, 4]),
  numa: fc.constantFrom(0, 1, 2),
  devices: fc.constantFrom(0, 0, 1, 3),
  ioOps: fc.constantFrom(0, 6, 7, 8),
  marked: fc.boolean(),
  rack: fc.constantFrom('r1', 'r2', 'r3'),
  hasMember: fc.boolean(),
})

type DrawnHost = typeof aHost extends fc.Arbitrary<infer Host> ? Host : never

function fleetOf(hosts: readonly DrawnHost[]): Fleet {
  const { fleet, append } = aLog()
  const named = hosts.map((host, i) => ({ name: `h${i}`, ...host }))
  append([{ type: 'feature', level: FEATURE_LEVEL }])
  append([
    ...named.map(({ name, vcpus, memoryMb, localGb, runs, numa, devices }) =>
      aReport(name, {
        ...{ vcpus, memoryMb, localGb, cpuAllocationRatio: 2 },
        instances: runs.map((i) => aUuid(i)),
        numaCells: Array.from({ length: numa }, (_, id) => ({
          id,
          cpuset: Array.from({ length: vcpus / numa }, (_, i) => (id * vcpus) / numa + i),
          memoryMb: memoryMb / numa,
        })),
        ...(devices > 0 && { pciPools: [{ vendorId: '8086', productId: '1572', total: devices, numaNode: numa > 0 ? 0 : null }] }),
      }),
    ),
    {
      ...{ type: 'aggregate', uuid: aUuid(60), expectedVersion: 0 },
      next: { name: 'marked', hosts: named.filter(({ marked }) => marked).map(({ name }) => name), metadata: { fast: 'yes' } },
    } as const,
  ])
  append(
    ['r1', 'r2', 'r3'].map((rack, i) => ({
      ...{ type: 'aggregate' as const, uuid: aUuid(61 + i), expectedVersion: 0 },
      next: { name: rack, hosts: named.filter((host) => host.rack === rack).map(({ name }) => name), metadata: { rack } },
    })),
  )
  for (const { name } of named.filter(({ hasMember }) => hasMember))
    append([
      aClaim({
        ...{ key: name, hosts: [name], grants: { classes: { MEMORY_MB: 512 } }, instances: [aUuid(0x500 + Number(name.slice(1)))] },
        group: { uuid: aUuid(71), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 },
      }),
    ])
  return fleet
}

const small = { vcpus: 1, memoryMb: 1_024, image: {} }
const uuids = (count: number) => Array.from({ length: count }, (_, i) => aUuid(i + 1))

const requests: readonly ((count: number) => RequestSpec)[] = [
  (numInstances) => aRequest({ ...small, numInstances }),
  (numInstances) => aRequest({ ...small, numInstances, flavor: { vcpus: 1, memoryMb: 512, rootGb: 8, swapMb: 2_000 } }),
  (numInstances) => aRequest({ ...small, numInstances, instanceUuids: uuids(numInstances) }),
  (numInstances) => aRequest({ ...small, numInstances, instanceGroup: { uuid: aUuid(70), policy: 'ANTI_AFFINITY' } }),
  (numInstances) => aRequest({ ...small, numInstances, instanceGroup: { uuid: aUuid(71), policy: 'ANTI_AFFINITY', maxServerPerHost: 2 } }),
  (numInstances) => aRequest({ ...small, numInstances, instanceGroup: { uuid: aUuid(70), policy: 'AFFINITY' } }),
  (numInstances) => aRequest({ ...small, numInstances, instanceGroup: { uuid: aUuid(70), policy: 'SOFT_AFFINITY' } }),
  (numInstances) => aRequest({ ...small, numInstances, instanceGroup: { uuid: aUuid(70), policy: 'SOFT_ANTI_AFFINITY' } }),
  (numInstances) => aRequest({ ...small, vcpus: 2, numInstances, ...cells(1, 2) }),
  (numInstances) => aRequest({ ...small, vcpus: 2, numInstances, ...cells(2, 1, { cpuPolicy: 'dedicated' }) }),
  (numInstances) => aRequest({ ...small, numInstances, pciRequests: [{ count: 1, specs: [{ vendor_id: '8086', product_id: '1572' }] }] }),
  (numInstances) =>
    aRequest({
      ...{ ...small, numInstances },
      ...{ instanceGroup: { uuid: aUuid(70), policy: 'SOFT_ANTI_AFFINITY' }, topologySpread: [{ topologyKey: 'rack', maxSkew: 1 }] },
    }),
  (numInstances) => aRequest({ ...small, numInstances, schedulerHints: { query: ['["<=", "$free_ram_mb", 3072]'] } }),
  (numInstances) => aRequest({ ...small, numInstances, flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs: { fast: 'yes' } } }),
  (numInstances) =>
    aRequest({
      ...{ ...small, numInstances },
      flavor: { vcpus: 1, memoryMb: 1_024, extraSpecs: { 'capabilities:free_ram_mb': '>= 3072', 'capabilities:num_instances': '< 1' } },
    }),
  (count) => ofNova(uuids(count), {}),
  (count) => ofNova(uuids(count), groupOf('anti-affinity', [aUuid(1), aUuid(2)])),
  (count) => ofNova(uuids(count), groupOf('affinity', [aUuid(2), aUuid(4)])),
  (count) => ofNova(uuids(count), groupOf('soft-anti-affinity', [aUuid(1), aUuid(3)])),
]

const drawnProfile = fc
  .record({
    filters: fc.subarray(usable, { minLength: 1 }),
    weighers: fc.subarray(novaWeighers.map(({ name }) => name)),
    multiplier: fc.constantFrom(-1, 1),
    hostSubsetSize: fc.constantFrom(1, 1, 3),
    shuffleBest: fc.boolean(),
    packing: fc.boolean(),
  })
  .map(({ filters, weighers, multiplier, hostSubsetSize, shuffleBest, packing }) =>
    aProfile({
      filters: filters.map((name) => ({ name })),
      weighers: weighers.map((name) => ({ name, multiplier })),
      hostSubsetSize,
      nova: { shuffleBest, packing },
    }),
  )

describe('the explanation of every instance that Nova’s rounds place', () => {
  test('has the passing hosts, scores, order and chosen host of the decision, on drawn fleets and profiles', () => {
    let later = 0
    fc.assert(
      fc.property(
        fc.array(aHost, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 2, max: 4 }),
        fc.constantFrom(...requests),
        drawnProfile,
        (hosts, count, request, profile) => {
          later += checkExplained(fleetOf(hosts), request(count), profile)
        },
      ),
      { seed: 53, numRuns: byExtent(150, 10_000) },
    )
    expect(later).toBeGreaterThan(50)
  })
})

const REFUSED =
  "ServerGroupAntiAffinityFilter refused the host for instance 1 of the request. By Nova's rules, no later instance is then placed on it."

test('a host that refused an earlier instance is shown as refused for the later one, with the filter and the instance', () => {
  const { fleet, append } = aLog()
  append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('runs', { instances: [aUuid(2)] }), aReport('free')])
  const profile = aProfile({ filters: [{ name: 'ServerGroupAntiAffinityFilter' }, { name: 'RamFilter' }], weighers: [] })
  const request = ofNova([aUuid(1), aUuid(2)], groupOf('anti-affinity', [aUuid(1), aUuid(2)]))
  const { record } = decided(fleet, request, profile)
  expect(record.instances.map(({ candidates }) => candidates)).toEqual([2, 1])
  const { texts, cause } = examineAgain(
    fleet,
    [],
    record,
    1,
    ({ checksOf, cause }) => ({
      texts: fleet.hosts.present.map(({ index }) =>
        checksOf(index).flatMap(({ reason }) => (reason === undefined ? [] : reasonText(reason))),
      ),
      cause: atOnce(cause()),
    }),
    profile,
  )
  expect(cause.refusals.map(({ code, hosts }) => [code, hosts])).toEqual([
    ['host.refused_earlier', 1],
    ['group.anti_affinity', 1],
  ])
  expect(causeText(cause)).toBe(
    'Only 1 of the 2 instances would find a host. Of 2 hosts none takes one more: 1 that refused an earlier instance, 1 at their limit of members of the server group. ' +
      `With this one placed, the nearest is runs: ${REFUSED}`,
  )
  expect(texts).toEqual([[REFUSED], [expect.stringContaining('the host must have no members; it has 1')]])
})
