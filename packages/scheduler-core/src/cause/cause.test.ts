import { describe, expect, test } from 'vitest'
import { openOverlay } from '../fleet/overlay.ts'
import { FEATURE_LEVEL } from '../records/change.ts'
import { decide } from '../schedulers/decide.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape, someInstances } from '../testing/index.ts'
import { causeOf } from './cause.ts'
import { causeText } from './cause-text.ts'
import { profileNamed, textOf, town } from './testing/town.ts'

test('if a host has too few GPUs of the requested model, only the number of GPUs is reported as missing', () => {
  const gpus = Array.from({ length: 2 }, (_, index) => ({ index, model: 'A100', usedMilli: 0 }))
  expect(textOf(town({ card: { vcpus: 4, memoryMb: 8_192, gpus } }), { gpus: { count: 3, shareMilli: 1_000, models: ['A100'] } })).toBe(
    'The only host with GPUs of model A100 does not take it. card: 3 GPUs of model A100 needed; the host has 2 in total.',
  )
})

test.each<[string, readonly number[], number, string]>([
  ['too little of its only GPU', [800], 1, '1 GPU with 30% free needed; the host has 0; the freest has 20% free.'],
  ['too little of several GPUs', [750, 1_000, 800], 1, '1 GPU with 30% free needed; the host has 0; the freest has 25% free.'],
  ['enough of one of its GPUs', [400, 750, 1_000], 2, '2 GPUs with 30% free needed; the host has 1; the freest other one has 25% free.'],
  ['too few GPUs', [400, 750], 3, '3 GPUs needed; the host has 2 in total. 3 GPUs needed, 1 with the requested share free.'],
  ['too few GPUs that all have the share free', [400], 2, '2 GPUs needed; the host has 1 in total.'],
])('for shares of GPUs, the sentence about a host with %s says how much is free', (_name, used, count, says) => {
  const gpus = used.map((usedMilli, index) => ({ index, usedMilli }))
  const fleet = town({ card: { vcpus: 4, memoryMb: 8_192, gpus } })
  const refused = `The only host with GPUs does not take it. card: ${says}`
  for (const profile of ['default', 'nova-compat']) expect(textOf(fleet, { gpus: { count, shareMilli: 300 } }, profile)).toBe(refused)
})

const [known, gone, never] = [aUuid(0x51), aUuid(0x52), aUuid(0x53)]

test.each<[string, readonly string[], string]>([
  [
    'that nobody knows',
    [never],
    `Instance ${never}, with which the request must share a host, is unknown: no host reports it, and it has no live claim.`,
  ],
  ['whose claim was released', [gone], `Instance ${gone}, with which the request must share a host, is unknown: `],
  [
    'of several that nobody knows',
    [gone, never],
    `The instances ${gone}, ${never}, with one of which the request must share a host, are unknown: no host reports any of them, and they have no live claims.`,
  ],
  ['on a host that the request excludes', [known], `The host has none of the instances ${known}.`],
  ['of several of which one is known', [known, never], 'The host has none of the instances '],
])('the sentence about the hint same_host with an instance %s says whether the instance is known', (_name, same_host, says) => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...['h1', 'h2'].map((host) => aReport(host))])
  log.append([aReport('other', { instances: [known] }), aClaim({ instances: [gone] }), { type: 'abandon', account: 'acme', key: 'k1' }])
  for (const asks of [{ ignoreHosts: ['other'] }, { forceHosts: ['h1'] }]) {
    const text = textOf(log.fleet, { ...asks, schedulerHints: { same_host: [...same_host] } })
    expect(text).toContain(says)
    if (says.includes('unknown')) expect(text).not.toContain('none of the instances')
  }
})

test('a host that lacks only amounts is nearer than a disabled host', () => {
  const log = aLog()
  const used = { vcpus: 4, vcpusUsed: 3, memoryMb: 8_192, memoryMbUsed: 7_168 }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('shut', { vcpus: 4, memoryMb: 8_192 }), aReport('full', used)])
  log.append([{ type: 'status', host: 'shut', node: 'shut', status: 'DISABLED', reason: 'its fans' }])
  expect(textOf(log.fleet, { vcpus: 4, memoryMb: 8_192 })).toContain('Nearest is full: ')
})

test('a shortfall of a resource in the total and in the free amount of a host counts once', () => {
  const log = aLog()
  const used = { vcpus: 16, memoryMb: 65_536, memoryMbUsed: 8_192 }
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('small', { vcpus: 16, memoryMb: 1_024 }), aReport('big', used)])
  expect(textOf(log.fleet, { vcpus: 1, memoryMb: 1_000_000 })).toContain('Nearest is big: Memory: 1000000 MiB needed by one instance; ')
})

test('the nearest host is the host with the smallest shortfall, even if only a NUMA cell has a shortfall', () => {
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

test("the sentence about a disabled host has the operator's reason", () => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('shut', {})])
  log.append([{ type: 'status', host: 'shut', node: 'shut', status: 'DISABLED', reason: 'its fans' }])
  expect(textOf(log.fleet, { forceHosts: ['shut'] })).toBe(
    'The only host named shut does not take it. shut: The host is DISABLED: its fans.',
  )
})

test('if no cell has pages of the requested size, the sentence names the sizes that it has', () => {
  const numaCells = [{ id: 0, cpuset: [0, 1], memoryMb: 8_192, pages: [{ sizeKib: 4, total: 2_097_152 }] }]
  const cells = [{ id: 0, cpus: [0], memoryMb: 1_024, pageSize: 1_048_576 }]
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('a', { vcpus: 2, memoryMb: 8_192, numaCells })])
  expect(textOf(log.fleet, { vcpus: 1, memoryMb: 1_024, numaTopology: { cells } })).toContain(
    'cell 0 on cell 0 of the host, sizes of memory pages: 1048576 KiB needed, 4 KiB here.',
  )
})

describe('the cause considers only hosts that the request admits', () => {
  test.each<readonly [string, Parameters<typeof aRequest>[0], string]>([
    [
      'M01: for a zone whose hosts lack memory, the cause is memory',
      { availabilityZone: 'z1', memoryMb: 16_384 },
      'Of the 2 hosts in availability zone z1 none takes it: 2 with too little memory in total. Nearest is small1: Memory: 16384 MiB needed by one instance; the host has 8192 MiB in total.',
    ],
    [
      'a host that is named and excluded',
      { forceHosts: ['small1'], ignoreHosts: ['small1'] },
      'There is no host named small1, that ignoreHosts does not exclude. There is 1 host named small1 by forceHosts. Nearest is small1: The request excludes the host.',
    ],
    ['a zone that does not exist', { availabilityZone: 'z9' }, 'There is no host in availability zone z9.'],
    ['a host that is not there', { forceHosts: ['gone'] }, 'There is no host named gone.'],
    [
      'a named host outside of the requested zone',
      { requestedDestination: { host: 'small1' }, availabilityZone: 'z2' },
      'There is no host named small1 and in availability zone z2. Each by itself: 1 named small1; 2 in availability zone z2. Nearest is small1: The host is in availability zone z1; z2 was requested.',
    ],
    [
      'a trait that no host of the zone has',
      { availabilityZone: 'z1', requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] },
      'There is no host in availability zone z1 and with trait CUSTOM_LICENSED. There are 2 hosts in availability zone z1.',
    ],
    [
      'all shortfalls of the nearest host, and nothing that was not requested',
      { availabilityZone: 'z1', memoryMb: 16_384, vcpus: 6 },
      'Of the 2 hosts in availability zone z1 none takes it, some for several reasons: 2 with too few vCPUs in total, 2 with too little memory in total. Nearest is small1: 6 vCPUs needed by one instance; the host has 4 in total. Memory: 16384 MiB needed by one instance; the host has 8192 MiB in total.',
    ],
    [
      'the free amount is named next to the total, if some of it is used',
      { forceHosts: ['used'], memoryMb: 16_384, vcpus: 6 },
      'The only host named used does not take it. used: 6 vCPUs needed by one instance; the host has 4 in total. 6 vCPUs needed, 1 free. ' +
        'Memory: 16384 MiB needed by one instance; the host has 8192 MiB in total. Memory: 16384 MiB needed, 2048 free.',
    ],
    [
      'the whole fleet, if the request names no hosts, zones or aggregates',
      { memoryMb: 524_288 },
      'Of 5 hosts none takes it: 5 with too little memory in total. Nearest is large1: Memory: 524288 MiB needed by one instance; the host has 262144 MiB in total.',
    ],
  ])('%s', (_name, asks, text) => {
    expect(textOf(town(), asks)).toBe(text)
  })

  test.each<readonly [string, Parameters<typeof aRequest>[0], string | null]>([
    ['the shortfall of most of the hosts', { availabilityZone: 'z1', vcpus: 6, memoryMb: 6_000 }, 'cpu.too_few'],
    [
      'the GPUs that all hosts lack, and not the memory that one host lacks',
      { availabilityZone: 'z1', memoryMb: 5_000, gpus: { count: 1 } },
      'gpu.none',
    ],
    ['the zone, if it does not exist', { availabilityZone: 'z9', memoryMb: 1_000_000 }, 'zone.other'],
    ['the zone of a named host', { forceHosts: ['small1'], availabilityZone: 'z2' }, 'zone.other'],
    ['the name, if it does not exist', { forceHosts: ['gone'], availabilityZone: 'z2' }, 'host.not_requested'],
    ['a host that is named and excluded', { forceHosts: ['small1'], ignoreHosts: ['small1'] }, 'host.excluded'],
    [
      'the trait that no host of the zone has, however many hosts outside of the zone have it',
      { availabilityZone: 'z1', requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] },
      'trait.missing',
    ],
  ])('the refusal is counted under %s', (_name, asks, code) => {
    for (const name of ['default', 'nova']) expect([name, causeOf(town(), aRequest(asks), profileNamed(name)).code]).toEqual([name, code])
  })

  test('the cause names only extra specs that a filter reads, in the same order regardless of the request', () => {
    const asks = (extraSpecs: Record<string, string>) => ({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs } })
    const own = { 'hw:cpu_policy': 'dedicated', 'aggregate_instance_extra_specs:ssd': 'yes', foo: 'baz' }
    const turned = { foo: 'baz', 'aggregate_instance_extra_specs:ssd': 'yes', 'hw:cpu_policy': 'dedicated' }
    expect(textOf(town(), asks(own))).toContain('There is no host in aggregates with foo = baz, ssd = yes.')
    expect(textOf(town(), asks(own), 'nova-compat')).not.toContain('cpu_policy')
    expect(textOf(town(), asks(own))).toBe(textOf(town(), asks(turned)))
  })

  test('if no host has reported, the cause says so', () => {
    expect(textOf(aLog().fleet, {})).toBe('No host has reported.')
  })

  test('the cause is the same for the reverse order of the filters', () => {
    const asks = { availabilityZone: 'z1', memoryMb: 16_384 }
    const own = profileNamed('default')
    const turned = { ...own, filters: own.filters.toReversed() }
    const request = aRequest(asks)
    expect(causeText(causeOf(town(), request, turned))).toBe(textOf(town(), asks))
  })
})

test('if there are too few hosts for an anti-affinity group, the cause names the number of members', () => {
  const fleet = town({ large3: { vcpus: 64, traits: ['CUSTOM_LICENSED'] } })
  const group = { uuid: aUuid(9), policy: 'ANTI_AFFINITY' as const, maxServerPerHost: 1 }
  const overlay = openOverlay(fleet)
  const placed = someInstances({ key: 'k', hosts: ['large1', 'large3'], instances: [aUuid(11), aUuid(12)], group })
  for (const part of placed.parts) overlay.hold(part, placed.group)
  const asks = { numInstances: 3, instanceGroup: group, requestedResources: [{ amounts: [], requiredTraits: ['CUSTOM_LICENSED'] }] }
  expect(textOf(fleet, asks, 'default', 2)).toBe(
    'Only 2 of the 3 instances would find a host. Of the 2 hosts with trait CUSTOM_LICENSED none takes one more: 2 at their limit of members of the server group. ' +
      'The group must fit 3 members on different hosts, and the request admits 2 hosts. ' +
      'With these placed, the nearest is large1: Server group 00000000-0000-4000-8000-000000000009: the host must have no members; it has 1.',
  )
  overlay.discard()
})

describe('if devices must be near the cells of the guest, the sentence is about the cell of the host that has the devices', () => {
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
    ['memory with GPUs', asks(40_000, 1, gpus(1)), 'h0: guest cell 0 on cell 1 of the host: 40000 MiB needed, 32768 in total.'],
    ['CPUs with GPUs', asks(1_024, 10, gpus(1)), 'h0: guest cell 0 on cell 1 of the host: 10 CPUs needed, 8 in total.'],
    [
      'memory with PCI devices',
      asks(40_000, 1, { pciRequests }),
      'h0: guest cell 0 on cell 1 of the host: 40000 MiB needed, 32768 in total.',
    ],
    [
      'GPUs themselves',
      asks(1_024, 1, gpus(3)),
      "h0: 3 GPUs needed; the host has 2 in total. 3 GPUs needed near the guest's NUMA cells, 2 free there.",
    ],
    [
      'memory and GPUs',
      asks(40_000, 1, gpus(3)),
      "h0: 3 GPUs needed; the host has 2 in total. guest cell 0 on cell 1 of the host: 40000 MiB needed, 32768 in total. 3 GPUs needed, 2 near the guest's cells.",
    ],
  ])('%s', (_what, given, text) => {
    const log = aLog()
    log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h0', shape)])
    expect(textOf(log.fleet, given)).toContain(text)
  })
})

describe('several instances that can be on different hosts', () => {
  /** The text of the cause for the first instance that finds no host. All earlier instances are placed. */
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
  test('for a request with several kinds of members, the cause names the kind that finds no host', () => {
    const asks = {
      numInstances: 2,
      flavor: { vcpus: 2, memoryMb: 64 },
      gang: [{ name: 'db', instances: 1, flavor: { vcpus: 9, memoryMb: 64 } }],
    }
    expect(textAfter(hosts, asks)).toContain('Only 1 of the 2 instances would find a host. Of 2 hosts none takes the next one (db): ')
  })

  const hosts = { a: { vcpus: 8, memoryMb: 262_144 }, b: { vcpus: 5, memoryMb: 262_144 } }
  test.each([
    [
      2,
      'Only 1 of the 2 instances would find a host. Of 2 hosts none takes one more: 1 with too few vCPUs left, 1 with too few vCPUs in total. Even with nothing else on them, these 2 hosts could take at most 1 of the 2 instances. With this one placed, the nearest is a: 6 vCPUs needed, 2 free.',
      6,
    ],
    [
      7,
      'Only 3 of the 7 instances would find a host. Of 2 hosts none takes one more: 2 with too few vCPUs left. Even with nothing else on them, these 2 hosts could take at most 3 of the 7 instances. With these placed, the nearest is b: 4 vCPUs needed, 1 free.',
      4,
    ],
    [
      2,
      'None of the 2 instances finds a host. Of 2 hosts none takes the first: 2 with too few vCPUs in total. Nearest is a: 9 vCPUs needed by one instance; the host has 8 in total.',
      9,
    ],
  ])('for %i instances, the number of placed instances comes before the cause for the next one', (numInstances, text, vcpus) => {
    expect(textAfter(hosts, { numInstances, vcpus, memoryMb: 64 })).toBe(text)
  })
})
