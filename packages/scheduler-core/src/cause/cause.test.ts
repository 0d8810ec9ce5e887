import { describe, expect, test } from 'vitest'
import { type Change, FEATURE_LEVEL } from '../fleet/change.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { openOverlay } from '../fleet/overlay.ts'
import { builtInProfiles } from '../profiles/built-in.ts'
import type { Profile } from '../profiles/profile.ts'
import { decide } from '../schedulers/decide.ts'
import { aClaim, aDocument, aLog, aReport, aRequest, aUuid, type HostShape, someInstances } from '../testing/index.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'

const profileNamed = (name: string) => builtInProfiles.find((profile) => profile.name === name) as Profile

/** A zone z1 of small hosts, a zone z2 of large ones, and hosts in none. */
function town(more: Record<string, HostShape> = {}): Fleet {
  const log = aLog()
  const hosts: Record<string, HostShape> = {
    small1: { vcpus: 4, memoryMb: 8_192 },
    small2: { vcpus: 4, memoryMb: 4_096 },
    large1: { vcpus: 64, memoryMb: 262_144, traits: ['CUSTOM_LICENSED'] },
    large2: { vcpus: 64, memoryMb: 131_072 },
    used: { vcpus: 4, vcpusUsed: 3, memoryMb: 8_192, memoryMbUsed: 6_144 },
    ...more,
  }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(hosts).map(([name, shape]) => aReport(name, shape))])
  const zones = { z1: ['small1', 'small2'], z2: ['large1', 'large2'] }
  log.append(
    Object.entries(zones).map(([zone, members], i) => ({
      type: 'aggregate' as const,
      uuid: aUuid(i + 1),
      expectedVersion: 0,
      next: { name: zone, hosts: members, metadata: { availability_zone: zone } },
    })),
  )
  return log.fleet
}

const textOf = (fleet: Fleet, asks: Parameters<typeof aRequest>[0], profile = 'default', instance = 0): string => {
  const request = aRequest(asks)
  return causeText(causeOf(fleet, request, profileNamed(profile), instance))
}

test('of GPUs that have the model and are too few, only the number is said to be missing', () => {
  const gpus = Array.from({ length: 2 }, (_, index) => ({ index, model: 'A100', usedMilli: 0 }))
  expect(textOf(town({ card: { vcpus: 4, memoryMb: 8_192, gpus } }), { gpus: { count: 3, shareMilli: 1_000, models: ['A100'] } })).toBe(
    'The only host with GPUs of model A100 does not take it. card: 3 GPUs of model A100 needed; the host has 2 in all.',
  )
})

test('a host that lacks amounts alone is nearer than one that is closed', () => {
  const log = aLog()
  const used = { vcpus: 4, vcpusUsed: 3, memoryMb: 8_192, memoryMbUsed: 7_168 }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('shut', { vcpus: 4, memoryMb: 8_192 }), aReport('full', used)])
  log.append([{ type: 'status', host: 'shut', node: 'shut', status: 'DISABLED', reason: 'its fans' }])
  expect(textOf(log.fleet, { vcpus: 4, memoryMb: 8_192 })).toContain('Nearest is full: ')
})

test('what a large host lacks in all and has in use besides counts once', () => {
  const log = aLog()
  const used = { vcpus: 16, memoryMb: 65_536, memoryMbUsed: 8_192 }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('small', { vcpus: 16, memoryMb: 1_024 }), aReport('big', used)])
  expect(textOf(log.fleet, { vcpus: 1, memoryMb: 1_000_000 })).toContain('Nearest is big: 1000000 MiB needed by one instance; ')
})

test('the nearest host is the one with least to mend of one cell too', () => {
  const cell = (pinned: number) => ({
    id: 0,
    cpuset: [0, 1, 2, 3],
    memoryMb: 8_192,
    pinnedCpus: Array.from({ length: pinned }, (_, cpu) => cpu),
  })
  const host = (pinned: number): HostShape => ({ vcpus: 4, memoryMb: 8_192, numaCells: [cell(pinned)] })
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('busy', host(2)), aReport('idle', host(0))])
  const cells = [{ id: 0, cpus: [0, 1, 2, 3], memoryMb: 1_024, pageSize: 1_048_576, cpuPolicy: 'dedicated' as const }]
  expect(textOf(log.fleet, { vcpus: 4, memoryMb: 1_024, numaTopology: { cells } })).toContain('Nearest is idle: ')
})

test('of a host that is closed the reason of the operator is said', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('shut', {})])
  log.append([{ type: 'status', host: 'shut', node: 'shut', status: 'DISABLED', reason: 'its fans' }])
  expect(textOf(log.fleet, { forceHosts: ['shut'] })).toBe(
    'The only host named shut does not take it. shut: The host is DISABLED: its fans.',
  )
})

test('of pages of a size that no cell has the sizes are said', () => {
  const numaCells = [{ id: 0, cpuset: [0, 1], memoryMb: 8_192, pages: [{ sizeKib: 4, total: 2_097_152 }] }]
  const cells = [{ id: 0, cpus: [0], memoryMb: 1_024, pageSize: 1_048_576 }]
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 2, memoryMb: 8_192, numaCells })])
  expect(textOf(log.fleet, { vcpus: 1, memoryMb: 1_024, numaTopology: { cells } })).toContain(
    'cell 0 on cell 0 of the host, sizes of memory pages: 1048576 KiB needed, 4 KiB here.',
  )
})

describe('the cause is told of the hosts that the request admits', () => {
  test.each<readonly [string, Parameters<typeof aRequest>[0], string]>([
    [
      'M01: a zone whose hosts lack memory is about memory',
      { availabilityZone: 'z1', memoryMb: 16_384 },
      'Of the 2 hosts in availability zone z1 none takes it: 2 with too little memory in all. Nearest is small1: 16384 MiB needed by one instance; the host has 8192 MiB in all.',
    ],
    [
      'a host that is named and excluded',
      { forceHosts: ['small1'], ignoreHosts: ['small1'] },
      'There is no host named small1, that ignoreHosts does not exclude. Each by itself: 1 named small1 by forceHosts; 4 other than small1. Nearest is small1: The request excludes the host.',
    ],
    ['a zone that is not there', { availabilityZone: 'z9' }, 'There is no host in availability zone z9.'],
    ['a host that is not there', { forceHosts: ['gone'] }, 'There is no host named gone.'],
    [
      'a host in another zone than the one asked for',
      { requestedDestination: { host: 'small1' }, availabilityZone: 'z2' },
      'There is no host named small1, in availability zone z2. Each by itself: 1 named small1; 2 in availability zone z2. Nearest is small1: The host is in availability zone z1; z2 was asked for.',
    ],
    [
      'a trait that no host of the zone has',
      { availabilityZone: 'z1', requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] },
      'There is no host in availability zone z1, with CUSTOM_LICENSED. Each by itself: 2 in availability zone z1; 1 with CUSTOM_LICENSED.',
    ],
    [
      'all that is missing on the nearest host, and nothing that was not asked',
      { availabilityZone: 'z1', memoryMb: 16_384, vcpus: 6 },
      'Of the 2 hosts in availability zone z1 none takes it: 2 with too few vCPUs in all, 2 with too little memory in all. Nearest is small1: 6 vCPUs needed by one instance; the host has 4 in all. 16384 MiB needed by one instance; the host has 8192 MiB in all.',
    ],
    [
      'what is free is said beside what there is in all, where some of it is in use',
      { forceHosts: ['used'], memoryMb: 16_384, vcpus: 6 },
      'The only host named used does not take it. used: 6 vCPUs needed by one instance; the host has 4 in all. 6 vCPUs needed, 1 free. ' +
        '16384 MiB needed by one instance; the host has 8192 MiB in all. Memory: 16384 MiB needed, 2048 free.',
    ],
    [
      'no place asked for: the whole fleet',
      { memoryMb: 524_288 },
      'Of 5 hosts none takes it: 5 with too little memory in all. Nearest is large1: 524288 MiB needed by one instance; the host has 262144 MiB in all.',
    ],
  ])('%s', (_name, asks, text) => {
    expect(textOf(town(), asks)).toBe(text)
  })

  test.each<readonly [string, Parameters<typeof aRequest>[0], string | null]>([
    ['what most of the hosts lack', { availabilityZone: 'z1', vcpus: 6, memoryMb: 6_000 }, 'cpu.too_few'],
    [
      'what all lack beside what some lack, which only claims check',
      { availabilityZone: 'z1', memoryMb: 5_000, gpus: { count: 1 } },
      'gpu.none',
    ],
    ['the zone where it is not there', { availabilityZone: 'z9', memoryMb: 1_000_000 }, 'zone.other'],
    ['the zone of a host that is named', { forceHosts: ['small1'], availabilityZone: 'z2' }, 'zone.other'],
    ['the name that is not there', { forceHosts: ['gone'], availabilityZone: 'z2' }, 'host.not_requested'],
    ['a host that is named and excluded', { forceHosts: ['small1'], ignoreHosts: ['small1'] }, 'host.excluded'],
    [
      'the trait that no host of the zone has, however many hosts of others have it',
      { availabilityZone: 'z1', requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] },
      'trait.missing',
    ],
  ])('it is counted under %s', (_name, asks, code) => {
    for (const name of ['default', 'nova']) expect([name, causeOf(town(), aRequest(asks), profileNamed(name)).code]).toEqual([name, code])
  })

  test('names the extra specs that a filter reads, whatever their order', () => {
    const asks = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs } })
    const own = { 'hw:cpu_policy': 'dedicated', 'aggregate_instance_extra_specs:ssd': 'yes', foo: 'baz' }
    const turned = { foo: 'baz', 'aggregate_instance_extra_specs:ssd': 'yes', 'hw:cpu_policy': 'dedicated' }
    expect(textOf(town(), asks(own))).toContain('There is no host in aggregates with foo = baz, ssd = yes.')
    expect(textOf(town(), asks(own), 'nova-compat')).not.toContain('cpu_policy')
    expect(textOf(town(), asks(own))).toBe(textOf(town(), asks(turned)))
  })

  test('no host at all', () => {
    expect(textOf(aLog().fleet, {})).toBe('No host has reported.')
  })

  test('whatever the order of the filters, and under the rules of Nova', () => {
    const asks = { availabilityZone: 'z1', memoryMb: 16_384 }
    const own = profileNamed('default')
    const turned = { ...own, filters: own.filters.toReversed() }
    const request = aRequest(asks)
    expect(causeText(causeOf(town(), request, turned))).toBe(textOf(town(), asks))
  })
})

test('hosts are what is short for a group whose members are to be apart, and how many it needs is said', () => {
  const fleet = town({ large3: { vcpus: 64, traits: ['CUSTOM_LICENSED'] } })
  const group = { uuid: aUuid(9), policy: 'ANTI_AFFINITY' as const, maxServerPerHost: 1 }
  const overlay = openOverlay(fleet)
  const placed = someInstances({ key: 'k', hosts: ['large1', 'large3'], instances: [aUuid(11), aUuid(12)], group })
  for (const part of placed.parts) overlay.hold(part, placed.group)
  const asks = { numInstances: 3, instanceGroup: group, requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] }
  expect(textOf(fleet, asks, 'default', 2)).toBe(
    '2 of 3 instances find a host. Of the 2 hosts with CUSTOM_LICENSED none takes one more: 2 with as many members of the server group as one host may have. ' +
      'The group needs room for 3 members apart from each other, and the request admits 2 hosts. ' +
      'Nearest is large1: Server group 00000000-0000-4000-8000-000000000009: no members wanted on the host; it holds 1.',
  )
  overlay.discard()
})

describe('members that live together and fit on no host: each host is compared with what all of them need', () => {
  const group = { uuid: aUuid(9), policy: 'AFFINITY' as const }
  const TOGETHER = 'They are of one server group that lives together: one host needs room for all of them.'
  /** The cause of the first instance that finds no host. */
  const causeIn = (
    shapes: Record<string, HostShape>,
    asks: Parameters<typeof aRequest>[0],
    changes: readonly Change[] = [],
    profile = 'default',
  ) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
    expect(log.append(changes).every((verdict) => verdict === undefined)).toBe(true)
    const request = aRequest({ instanceGroup: group, ...asks })
    const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
    const overlay = openOverlay(log.fleet)
    const input = { id: 'd', request, profile: profileNamed(profile), seed: 's', attempt: 1, alternatesPerInstance: 0, claimIds }
    const { found } = decide(log.fleet, overlay, { ...input, allOrNothing: false })
    expect(found).toBeLessThan(request.numInstances)
    const text = textOf(log.fleet, { instanceGroup: group, ...asks }, profile, found)
    overlay.discard()
    return text
  }
  const two = { wide: { vcpus: 2, memoryMb: 65_536 }, deep: { vcpus: 4, memoryMb: 8_192 } }

  test.each(['default', 'nova-compat'])('%s: a new group of which not even the first finds a host needs room for all', (profile) => {
    const text = causeIn(
      { a: { vcpus: 8, vcpusUsed: 1, memoryMb: 65_536 }, b: { vcpus: 64, vcpusUsed: 60, memoryMb: 65_536 } },
      { numInstances: 3, vcpus: 8, memoryMb: 64 },
      [],
      profile,
    )
    expect(text).toContain('24 vCPUs needed')
    expect(text).not.toMatch(/\b8 vCPUs needed/)
  })

  const disks = { numInstances: 3, flavor: { vcpus: 1, memoryMb: 64, rootGb: 40 } }
  const roomy = { vcpus: 64, memoryMb: 65_536, localGb: 100 }
  const aPool = (hosts: readonly string[], teller: string): Change[] => [
    { type: 'aggregate', uuid: aUuid(70), expectedVersion: 0, next: { name: 'pool', hosts, metadata: { 'gantt:disk_pool': aUuid(71) } } },
    aDocument(teller, 'storage', { pools: [{ uuid: aUuid(71), name: 'p', totalGib: 100, reservedGib: 20 }] }),
  ]

  test.each(['default', 'best-fit'])('%s: the pool that the disks of hosts lie in has too little for all of them', (profile) => {
    expect(causeIn({ a: roomy, b: roomy }, disks, aPool(['a', 'b'], 'a'), profile)).toBe(
      `Of 2 hosts none takes all 3 instances: 2 in a storage pool with too little space in all. ${TOGETHER} Nearest is a: The pool p has 80 GiB in all; 120 GiB were asked for by its 3 instances; 20 of its 100 GiB are reserved (by the storage document of a).`,
    )
  })

  test.each(['default', 'best-fit'])('%s: a pool of other hosts changes nothing for a host with disks of its own', (profile) => {
    const others = { c: { ...roomy, vcpus: 0 } }
    const text = `Nearest is a: 120 GiB needed by its 3 instances; the host has 100 GiB in all.`
    expect(causeIn({ a: roomy, ...others }, disks, [], profile)).toContain(text)
    expect(causeIn({ a: roomy, ...others }, disks, aPool(['c'], 'c'), profile)).toContain(text)
  })
  const cells = [0, 1].map((id) => ({ id, cpuset: [2 * id, 2 * id + 1], memoryMb: 4_096 }))
  const guest = { numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 3_072 }] }, flavor: { vcpus: 1, memoryMb: 3_072 } }

  test.each<[string, Record<string, HostShape>, Parameters<typeof aRequest>[0], string]>([
    [
      'CPUs: the host that holds most of them is the nearest',
      two,
      { numInstances: 5, vcpus: 1, memoryMb: 64 },
      `Of 2 hosts none takes all 5 instances: 2 with too few vCPUs in all. ${TOGETHER} Nearest is deep: 5 vCPUs needed by its 5 instances; the host has 4 in all.`,
    ],
    [
      'memory, counting what the first of them would take',
      { a: { vcpus: 64, memoryMb: 8_192 }, b: { vcpus: 64, memoryMb: 6_144 } },
      { numInstances: 3, vcpus: 1, memoryMb: 4_096 },
      `Of 2 hosts none takes all 3 instances: 2 with too little memory in all. ${TOGETHER} Nearest is a: 12288 MiB needed by its 3 instances; the host has 8192 MiB in all.`,
    ],
    [
      'GPUs',
      { a: { vcpus: 64, memoryMb: 65_536, gpus: [{ index: 0 }, { index: 1 }] }, b: { vcpus: 64, memoryMb: 8_192, gpus: [{ index: 0 }] } },
      { numInstances: 3, vcpus: 1, memoryMb: 64, gpus: { count: 1 } },
      `Of the 2 hosts with GPUs none takes all 3 instances: 2 with too few GPUs in all. ${TOGETHER} Nearest is a: 3 GPUs needed; the host has 2 in all.`,
    ],
    [
      'all amounts that the nearest host lacks',
      { 'h-1': { vcpus: 96, memoryMb: 65_536, localGb: 88 }, 'h-2': { vcpus: 32, memoryMb: 65_536, localGb: 88 } },
      { numInstances: 40, vcpus: 4, memoryMb: 8_192 },
      `Of 2 hosts none takes all 40 instances: 2 with too few vCPUs in all, 2 with too little memory in all. ${TOGETHER} ` +
        'Nearest is h-1: 160 vCPUs needed by its 40 instances; the host has 96 in all. 327680 MiB needed by its 40 instances; the host has 65536 MiB in all.',
    ],
    [
      'a gang of two flavors',
      two,
      { numInstances: 2, flavor: { vcpus: 2, memoryMb: 64 }, gang: [{ instances: 1, flavor: { vcpus: 3, memoryMb: 64 } }] },
      `Of 2 hosts none takes all 2 instances: 2 with too few vCPUs in all. ${TOGETHER} Nearest is deep: 5 vCPUs needed by its 2 instances; the host has 4 in all.`,
    ],
    [
      'cells, of which amounts say nothing',
      { a: { vcpus: 64, memoryMb: 65_536, numaCells: cells } },
      { numInstances: 3, ...guest },
      `The only host with NUMA cells does not take all 3 instances. ${TOGETHER} ` +
        'a: cell 0 of one more instance on cell 0 of the host: 3072 MiB needed, 1024 here.',
    ],
    [
      'the hosts that the request admits alone',
      { ...two, large: { vcpus: 64, memoryMb: 262_144 } },
      { numInstances: 5, vcpus: 1, memoryMb: 64, ignoreHosts: ['large'] },
      `Of the 2 hosts other than large none takes all 5 instances: 2 with too few vCPUs in all. ${TOGETHER} Nearest is deep: 5 vCPUs needed by its 5 instances; the host has 4 in all.`,
    ],
  ])('%s', (_name, shapes, asks, text) => {
    expect(causeIn(shapes, asks)).toBe(text)
  })

  test('of a host on which more is claimed than there is, what all of them need is said', () => {
    const bound = aClaim({ hosts: ['a'], grants: { classes: { VCPU: 4 } }, group: { ...group, maxServerPerHost: null } })
    const shape = (vcpusUsed: number) => ({ ...large, vcpus: 16, vcpusUsed })
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', shape(0)), bound])
    log.append([aReport('a', shape(16), 2)])
    const asks = { numInstances: 3, vcpus: 1, memoryMb: 64, instanceGroup: { ...group, hosts: ['a'] } }
    expect(textOf(log.fleet, asks)).toContain('a: 3 vCPUs needed, 0 free; over-full by 4 vCPUs.')
  })

  test('what an operator keeps back is said of what all of them need too', () => {
    const reserve: Change = {
      type: 'hostAllocation',
      host: 'a',
      node: 'a',
      resourceClass: 'MEMORY_MB',
      reserved: 65_000,
      by: 'kim',
      reason: 'tests',
    }
    const text = causeIn({ a: { vcpus: 16, memoryMb: 65_536 } }, { numInstances: 3, vcpus: 1, memoryMb: 512 }, [reserve])
    expect(text).toContain(
      'a: 1536 MiB needed by its 3 instances; the host has 536 MiB in all; 65000 of its 65536 MiB are reserved (set by kim: tests).',
    )
  })

  test('what its cells lack for all of them is said beside what it lacks in all', () => {
    const numaCells = [0, 1].map((id) => ({ id, cpuset: Array.from({ length: 8 }, (_, cpu) => 8 * id + cpu), memoryMb: 32_768 }))
    const six = { id: 0, cpus: [0, 1, 2, 3, 4, 5], memoryMb: 64, cpuPolicy: 'dedicated' as const }
    const asks = (numInstances: number) => ({ numInstances, flavor: { vcpus: 6, memoryMb: 64 }, numaTopology: { cells: [six] } })
    const host = (vcpus: number): HostShape => ({ vcpus, memoryMb: 65_536, numaCells })
    expect(causeIn({ a: host(16) }, asks(3))).toContain(
      'a: 18 vCPUs needed by its 3 instances; the host has 16 in all. cell 0 of one more instance on cell 0 of the host: 6 CPUs needed, 2 here.',
    )
    expect(causeIn({ a: host(40) }, asks(3))).toContain('a: cell 0 of one more instance on cell 0 of the host: 6 CPUs needed, 2 here.')
    expect(causeIn({ a: host(40) }, asks(5))).toContain('a: cell 0 of 3 more instances on cell 0 of the host: 18 CPUs needed, 2 here.')
  })

  test('in the rounds of Nova a host that has room for all and was not tried is refused since the group was put on another', () => {
    const shapes = { h0: { ...large, memoryMb: 524_288, vcpus: 128 }, h1: { ...large, vcpus: 160 } }
    const text = causeIn(shapes, { numInstances: 20, vcpus: 8, memoryMb: 64 }, [], 'nova-compat')
    expect(text).toBe(
      `Of 2 hosts none takes all 20 instances: 1 with too few vCPUs in all, 1 away from the host of the server group. ${TOGETHER} ` +
        'Nearest is h0: 160 vCPUs needed by its 20 instances; the host has 128 in all.',
    )
  })

  test('a group that lives somewhere already is refused for what its host lacks', () => {
    const bound = aClaim({ hosts: ['wide'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } })
    const text = causeIn(two, { numInstances: 2, vcpus: 1, memoryMb: 64 }, [bound])
    expect(text).toBe(
      `The only host where server group ${aUuid(9)} lives does not take all 2 instances. ${TOGETHER} wide: 2 vCPUs needed, 1 free.`,
    )
  })

  const large = { memoryMb: 262_144 }
  const busy = { h0: { ...large, vcpus: 128, vcpusUsed: 124 }, h1: { ...large, vcpus: 128, vcpusUsed: 40 } }
  test.each([
    [12, '2 with too few vCPUs left', '96 vCPUs needed, 88 free.'],
    [22, '2 with too few vCPUs in all', '176 vCPUs needed by its 22 instances; the host has 128 in all. 176 vCPUs needed, 88 free.'],
    [40, '2 with too few vCPUs in all', '320 vCPUs needed by its 40 instances; the host has 128 in all. 320 vCPUs needed, 88 free.'],
  ])('the host that lacks least for all %i of them is the nearest, under every profile', (numInstances, counts, lacks) => {
    for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'])
      expect([profile, causeIn(busy, { numInstances, vcpus: 8, memoryMb: 64 }, [], profile)]).toEqual([
        profile,
        `Of 2 hosts none takes all ${numInstances} instances: ${counts}. ${TOGETHER} Nearest is h1: ${lacks}`,
      ])
  })

  test('no host is away from a home that was an attempt, and one that is too small for one of them is the farthest', () => {
    const shapes = Object.fromEntries([4, 4, 4, 4, 64, 32, 32].map((vcpus, i) => [`h${i}`, { ...large, vcpus }]))
    for (const profile of ['default', 'nova', 'nova-compat', 'best-fit'])
      expect([profile, causeIn(shapes, { numInstances: 40, vcpus: 8, memoryMb: 64 }, [], profile)]).toEqual([
        profile,
        `Of 7 hosts none takes all 40 instances: 7 with too few vCPUs in all. ${TOGETHER} ` +
          'Nearest is h4: 320 vCPUs needed by its 40 instances; the host has 64 in all.',
      ])
  })

  test('the first of them may be the one that finds no host', () => {
    const text = causeIn({ a: { ...large, vcpus: 2 }, b: { ...large, vcpus: 3 } }, { numInstances: 3, vcpus: 4, memoryMb: 64 })
    expect(text).toBe(
      `Of 2 hosts none takes all 3 instances: 2 with too few vCPUs in all. ${TOGETHER} ` +
        'Nearest is b: 12 vCPUs needed by its 3 instances; the host has 3 in all.',
    )
  })

  test('GPUs of a group that lives somewhere already, and what is in use of them', () => {
    const gpus = [0, 1, 2].map((index) => ({ index, usedMilli: index === 0 ? 1_000 : 0 }))
    const home = aClaim({ hosts: ['a'], grants: { classes: { VCPU: 1 } }, group: { ...group, maxServerPerHost: null } })
    const asks = (numInstances: number) => ({ numInstances, vcpus: 1, memoryMb: 64, gpus: { count: 1 } })
    const shapes = { a: { ...large, vcpus: 64, gpus }, b: { ...large, vcpus: 64, gpus: [{ index: 0 }] } }
    expect(causeIn(shapes, asks(3), [home])).toContain(`${TOGETHER} a: 3 whole GPUs needed; the host has 2 free.`)
    expect(causeIn(shapes, asks(4), [home])).toContain(`${TOGETHER} a: 4 GPUs needed; the host has 3 in all. 4 GPUs needed, 2 free.`)
  })

  test('PCI devices', () => {
    const pools = (total: number) => ({ ...large, vcpus: 64, pciPools: [{ vendorId: '10de', productId: '1db4', total }] })
    const pciRequests = [{ count: 2, specs: [{ vendor_id: '10de' }] }]
    expect(causeIn({ a: pools(2), b: pools(5) }, { numInstances: 3, vcpus: 1, memoryMb: 64, pciRequests })).toContain(
      `2 with too few PCI devices of the kind left. ${TOGETHER} Nearest is b: PCI request 0 (vendor 10de): 6 devices needed, 5 free.`,
    )
  })

  test('a host that is closed does not lack room for them beside', () => {
    const closed: Change = { type: 'status', host: 'b', node: 'b', status: 'DISABLED', reason: 'its fans' }
    const text = causeIn({ a: { ...large, vcpus: 2 }, b: { ...large, vcpus: 64 } }, { numInstances: 3, vcpus: 4, memoryMb: 64 }, [closed])
    expect(text).toContain('1 with too few vCPUs in all, 1 not enabled.')
    expect(text).not.toContain('at once')
  })
})

describe('where devices are to be near the guest, the cell that is spoken of is the one where they are', () => {
  const asks = (memoryMb: number, cpus: number, more: Parameters<typeof aRequest>[0]) => ({
    flavor: { vcpus: cpus, memoryMb },
    numaTopology: { cells: [{ id: 0, cpus: Array.from({ length: cpus }, (_, cpu) => cpu), memoryMb }] },
    ...more,
  })
  const gpus = (count: number) => ({ gpus: { count, numaPolicy: 'required' as const } })
  const pciRequests = [{ count: 1, specs: [{ vendor_id: '10de' }], numaPolicy: 'required' as const }]
  const shape: HostShape = {
    ...{ vcpus: 64, memoryMb: 262_144 },
    numaCells: [0, 1].map((id) => ({ id, cpuset: Array.from({ length: 8 }, (_, cpu) => 8 * id + cpu), memoryMb: 32_768 })),
    gpus: [0, 1].map((index) => ({ index, numaNode: 1 })),
    pciPools: [{ vendorId: '10de', productId: 'a', numaNode: 1, total: 2 }],
  }
  test.each<readonly [string, Parameters<typeof aRequest>[0], string]>([
    ['memory beside GPUs', asks(40_000, 1, gpus(1)), 'h0: cell 0 on cell 1 of the host: 40000 MiB needed, 32768 in all.'],
    ['CPUs beside GPUs', asks(1_024, 10, gpus(1)), 'h0: cell 0 on cell 1 of the host: 10 CPUs needed, 8 in all.'],
    ['memory beside PCI devices', asks(40_000, 1, { pciRequests }), 'h0: cell 0 on cell 1 of the host: 40000 MiB needed, 32768 in all.'],
    [
      'GPUs themselves',
      asks(1_024, 1, gpus(3)),
      "h0: 3 GPUs needed; the host has 2 in all. 3 GPUs needed near the guest's NUMA cells, 2 free there.",
    ],
    [
      'memory and GPUs',
      asks(40_000, 1, gpus(3)),
      "h0: 3 GPUs needed; the host has 2 in all. cell 0 on cell 1 of the host: 40000 MiB needed, 32768 in all. 3 GPUs needed, 2 near the guest's cells.",
    ],
  ])('%s', (_what, given, text) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', shape)])
    expect(textOf(log.fleet, given)).toContain(text)
  })
})

describe('several instances that may be on different hosts', () => {
  /** The cause of the instance after so many that found a host. */
  const textAfter = (shapes: Record<string, HostShape>, asks: Parameters<typeof aRequest>[0]) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Object.entries(shapes).map(([name, shape]) => aReport(name, shape))])
    const request = aRequest(asks)
    const overlay = openOverlay(log.fleet)
    const claimIds = Array.from({ length: request.numInstances }, (_, i) => `c${i}`)
    const input = { id: 'd', request, profile: profileNamed('default'), seed: 's', attempt: 1, alternatesPerInstance: 0, claimIds }
    const { found } = decide(log.fleet, overlay, { ...input, allOrNothing: false })
    const text = textOf(log.fleet, asks, 'default', found)
    overlay.discard()
    return text
  }
  test('of a gang, which of its kinds finds none', () => {
    const asks = {
      numInstances: 2,
      flavor: { vcpus: 2, memoryMb: 64 },
      gang: [{ name: 'db', instances: 1, flavor: { vcpus: 9, memoryMb: 64 } }],
    }
    expect(textAfter(hosts, asks)).toContain('1 of 2 instances finds a host. Of 2 hosts none takes one more (db): ')
  })

  const hosts = { a: { vcpus: 8, memoryMb: 262_144 }, b: { vcpus: 5, memoryMb: 262_144 } }
  test.each([
    [
      2,
      '1 of 2 instances finds a host. Of 2 hosts none takes one more: 1 with too few vCPUs in all, 1 with too few vCPUs left. Nearest is b: 6 vCPUs needed by one instance; the host has 5 in all.',
      6,
    ],
    [
      7,
      '3 of 7 instances find a host. Of 2 hosts none takes one more: 2 with too few vCPUs left. Nearest is b: 4 vCPUs needed, 1 free.',
      4,
    ],
    [
      2,
      'None of 2 instances finds a host. Of 2 hosts none takes the first: 2 with too few vCPUs in all. Nearest is a: 9 vCPUs needed by one instance; the host has 8 in all.',
      9,
    ],
  ])('%i: how many find a host is said before why there is none for one more', (numInstances, text, vcpus) => {
    expect(textAfter(hosts, { numInstances, vcpus, memoryMb: 64 })).toBe(text)
  })
})
