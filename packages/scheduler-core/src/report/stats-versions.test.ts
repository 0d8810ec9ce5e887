import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeVersions } from '../request/versions.suite.ts'
import { aUuid } from '../testing/index.ts'
import { parseHostStats } from './stats.ts'
import {
  CURRENT_STATS_VERSION,
  currentStats,
  type PublishedStats,
  publishedStats,
  type StatsVersion,
  statsIn,
  statsSchemas,
  statsVersionOf,
  statsVersions,
  upgradeEach1_0,
} from './stats-versions.ts'
import { hostStatsV1_0 } from './versions/v1-0.ts'
import { hostStatsV1_1 } from './versions/v1-1.ts'
import { hostStatsV1_2, omittableFields } from './versions/v1-2.ts'
import { hostStatsV1_3 } from './versions/v1-3.ts'
import { hostStatsV1_4 } from './versions/v1-4.ts'

const name = fc.constantFrom('QEMU', 'a b', 'π😀')
const amount = fc.integer({ min: 0, max: 4_096 })
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const some = <T>(shape: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) => fc.record(shape, { requiredKeys: [] })

/** Generates lists of NUMA cells with eight CPUs each. `more` generates the remaining fields of a cell. */
const cells = <T extends object>(more: (cpus: number[]) => fc.Arbitrary<T>) =>
  fc.integer({ min: 0, max: 2 }).chain((count) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, id) => {
        const cpuset = Array.from({ length: 8 }, (__, cpu) => id * 8 + cpu)
        const own = some({
          memoryUsageMb: orNull(amount),
          cpuUsage: orNull(amount),
          pinnedCpus: orNull(fc.subarray(cpuset)),
        })
        return fc.tuple(own, more(cpuset)).map(([reported, rest]) => ({ id, cpuset, memoryMb: 4_096, ...reported, ...rest }))
      }),
    ),
  )

const machine = { vcpus: 16, vcpusUsed: 0, memoryMb: 65_536, memoryMbUsed: 0, localGb: 1_024, localGbUsed: 0 }
const fields = {
  vcpusUsed: amount,
  freeDiskGb: orNull(fc.integer({ min: -10, max: 10 })),
  cpuAllocationRatio: fc.constantFrom(1, 1.5, 16),
  hypervisorType: orNull(name),
  supportedInstances: fc.constantFrom([], [{ arch: 'x86_64', hvType: 'kvm', vmMode: 'hvm' }]),
  cpuInfo: orNull(some({ arch: orNull(name), features: fc.array(name), sockets: orNull(amount.filter((value) => value <= 1_024)) })),
  metrics: fc.constantFrom([], [{ name: 'cpu.percent', value: 0.5, timestamp: '2026-11-21T08:00:00Z' }]),
  gpus: fc.constantFrom([], [{ index: 0, model: 'A', usedMilli: 500 }, { index: 1 }]),
  traits: fc.array(name),
  inventories: fc.constantFrom([], [{ resourceClass: 'CUSTOM_X', total: 4, reserved: 1 }]),
  instances: orNull(fc.array(fc.integer({ min: 1, max: 9 }).map(aUuid), { maxLength: 2 })),
}

const oldest = some({ ...fields, numaCells: cells(() => fc.constant({})) }).map((rest) => ({ ...machine, ...rest }))

const newer = fc
  .tuple(
    oldest,
    some({
      numaCells: cells((cpus) =>
        some({
          siblings: fc.constantFrom([], [cpus.slice(0, 2), cpus.slice(2, 4)]),
          pages: fc.constantFrom(
            [],
            [
              { sizeKib: 4, total: 1_024 },
              { sizeKib: 2_048, total: 8, used: 1, reserved: 1 },
            ],
          ),
          dedicatedCpuset: orNull(fc.subarray(cpus)),
          socket: orNull(fc.integer({ min: 0, max: 3 })),
          physicalNetworks: fc.constantFrom([], ['physnet0']),
        }),
      ),
      tunneledCells: fc.constantFrom([], [0]),
      pciPools: fc.constantFrom([], [{ vendorId: '8086', productId: '10ed', numaNode: 0, tags: { physical_network: 'a' }, total: 4 }]),
      nova: orNull(fc.constant({ computeNode: { uuid: null, stats: { failed_builds: '0' } }, service: null, cellUuid: aUuid(1) })),
    }),
  )
  .map(([old, rest]) => ({ ...old, ...rest }))

/** Generates reports of version 1.3: with a list of omitted fields, and with or without a machine id. */
const withOmitted = fc
  .tuple(newer, fc.subarray([...omittableFields]), some({ machineId: orNull(name) }))
  .map(([given, fields, machineOf]) => {
    const omitted = fields.filter((field) => !Object.hasOwn(given, field))
    return { ...given, ...machineOf, ...(omitted.length > 0 && { omitted }) }
  })

const someClasses = fc.subarray(['VCPU', 'MEMORY_MB'])

/** Generates reports of version 1.4: GPUs have the id of their NUMA cell, and inventories leave ratios and reserved amounts open. */
const newest = fc
  .tuple(withOmitted, orNull(fc.integer({ min: 0, max: 3 })), someClasses, someClasses)
  .map(([given, numaNode, openRatios, openReserves]) => ({
    ...given,
    ...(given.nova && { nova: { ...given.nova, openRatios, openReserves } }),
    ...(given.gpus !== undefined && given.gpus.length > 0 && { gpus: given.gpus.map((gpu) => ({ ...gpu, numaNode })) }),
  }))

const withCells = (...parts: object[]) => ({
  ...machine,
  numaCells: parts.map((part, id) => ({ id, cpuset: [id * 2, id * 2 + 1], memoryMb: 1, ...part })),
})
const withPages = (...pages: object[]) => withCells({ pages })
const inCell = (field: string, rest: string) => `numaCells.0.${field}: numaCells.0.${field} is ${rest}`

describeVersions({
  versions: [
    { version: '1.0', schema: hostStatsV1_0, frozen: '1db02fe28ac8a73f99b73c6f8fd29a8e7ce35a09be577059ac01240e8e17d14d' },
    { version: '1.1', schema: hostStatsV1_1, frozen: 'edb3a1e8579cfd7c09cb6208e548c080e83cf559c79b0257cb4e52dffeab62f4' },
    { version: '1.2', schema: hostStatsV1_2, frozen: '1e9c9a8299a6933ee7b47e6be4312e8fb91cdbebe577cb2a5d75b0fd0af73732' },
    { version: '1.3', schema: hostStatsV1_3, frozen: '15e34f52285527c619ed310f601a4642f7d63399998c0c3e6f344aa4ac8c9de7' },
    { version: '1.4', schema: hostStatsV1_4, frozen: '268a1f4cf9e54e83aaaca87a33b79433f542ffae88f41b41a1933b394c7a180c' },
  ],
  rules: [
    ['the fewest fields that can be reported', '1.0', machine],
    ['the fewest fields that can be reported', '1.1', machine],
    ['a CPU twice in a cell', '1.0', withCells({ cpuset: [1, 1] }), inCell('cpuset', 'a list of 2; it must not list a CPU twice')],
    [
      'a CPU in two cells',
      '1.0',
      withCells({ cpuset: [0, 2] }, {}),
      'numaCells: numaCells is a list of 2; it must not list a CPU in two cells',
    ],
    [
      'two cells with the same id',
      '1.0',
      withCells({ id: 1 }, {}),
      'numaCells: numaCells is a list of 2; it must not give two cells the same id',
    ],
    [
      'a pinned CPU of another cell',
      '1.0',
      withCells({ pinnedCpus: [9] }),
      inCell('pinnedCpus', 'a list of 1; it must be CPUs of the cell'),
    ],
    ['what inventories leave open', '1.4', { ...machine, nova: { computeNode: {}, openRatios: ['VCPU'], openReserves: [] } }],
    [
      'what inventories leave open, in a version without it',
      '1.3',
      { ...machine, nova: { computeNode: {}, openRatios: ['VCPU'] } },
      'nova.openRatios: nova.openRatios is not a field of this version',
    ],
    [
      'two GPUs with the same index',
      '1.0',
      { ...machine, gpus: [{ index: 0 }, { index: 0 }] },
      'gpus: gpus is a list of 2; it must not give two GPUs the same number',
    ],
    [
      'a class twice',
      '1.0',
      {
        ...machine,
        inventories: [
          { resourceClass: 'X', total: 1 },
          { resourceClass: 'X', total: 1 },
        ],
      },
      'inventories: inventories is a list of 2; it must not list a resource class twice',
    ],
    [
      'more reserved than the total',
      '1.0',
      { ...machine, inventories: [{ resourceClass: 'X', total: 1, reserved: 2 }] },
      'inventories.0.reserved: inventories.0.reserved is 2; it must be at most the total',
    ],
    ['a field of a later version', '1.0', { ...machine, pciPools: [] }, 'pciPools: pciPools is not a field of this version'],
    [
      'a field of a cell of a later version',
      '1.0',
      withCells({ socket: 0 }),
      'numaCells.0.socket: numaCells.0.socket is not a field of this version',
    ],
    ['threads of one core', '1.1', withCells({ siblings: [[0, 1]] })],
    [
      'a thread of another cell',
      '1.1',
      withCells({ siblings: [[0, 2]] }, {}),
      inCell('siblings', 'a list of 1; it must be CPUs of the cell'),
    ],
    [
      'a thread of two cores',
      '1.1',
      withCells({ siblings: [[0, 1], [1]] }),
      inCell('siblings', 'a list of 2; it must not list a CPU twice'),
    ],
    ['a dedicated CPU in addition to the shared ones', '1.1', withCells({ dedicatedCpuset: [9], pinnedCpus: [9], siblings: [[0, 9]] })],
    [
      'a dedicated CPU that is listed twice',
      '1.1',
      withCells({ dedicatedCpuset: [9, 9] }),
      inCell('dedicatedCpuset', 'a list of 2; it must not list a CPU twice'),
    ],
    [
      'a dedicated CPU of another cell',
      '1.1',
      withCells({ dedicatedCpuset: [2] }, {}),
      'numaCells: numaCells is a list of 2; it must not list a CPU in two cells',
    ],
    ['a cell without CPUs for dedicated use', '1.1', withCells({ dedicatedCpuset: [] })],
    [
      'a page size twice',
      '1.1',
      withPages({ sizeKib: 4, total: 1 }, { sizeKib: 4, total: 1 }),
      inCell('pages', 'a list of 2; it must not list a page size twice'),
    ],
    [
      'more pages reserved than the total',
      '1.1',
      withPages({ sizeKib: 4, total: 1, reserved: 2 }),
      inCell('pages.0.reserved', '2; it must be at most the total'),
    ],
    [
      'a pool without a vendor',
      '1.1',
      { ...machine, pciPools: [{ productId: '1', total: 1 }] },
      'pciPools.0.vendorId: pciPools.0.vendorId is missing; it must be a string',
    ],
    ['a document of Nova', '1.1', { ...machine, nova: { computeNode: { pci_device_pools: null } } }],
    [
      'a document of Nova that is a list',
      '1.1',
      { ...machine, nova: { computeNode: [] } },
      'nova.computeNode: nova.computeNode is an empty list; it must be a JSON object',
    ],
    ['the fewest fields that can be reported', '1.2', machine],
    ['all fields that can be omitted', '1.2', { ...machine, omitted: [...omittableFields] }],
    [
      'an omitted field that is also reported',
      '1.2',
      { ...machine, traits: ['A'], omitted: ['gpus', 'traits'] },
      'omitted.1: omitted.1 is "traits"; it must name fields that the report does not contain; it contains traits',
    ],
    [
      'a field that is omitted twice',
      '1.2',
      { ...machine, omitted: ['gpus', 'gpus'] },
      'omitted: omitted is a list of 2; it must not name a field twice',
    ],
    [
      'an omitted field with which claims are counted',
      '1.2',
      { ...machine, omitted: ['vcpus'] },
      `omitted.0: omitted.0 is "vcpus"; it must be one of ${omittableFields.join(', ')}`,
    ],
    ['omitted fields in a version without them', '1.1', { ...machine, omitted: [] }, 'omitted: omitted is not a field of this version'],
    ['the fewest fields that can be reported', '1.3', machine],
    ['the id of the machine', '1.3', { ...machine, machineId: '4c4c4544-0042-3510-8053-b4c04f4d3232' }],
    ['an empty machine id', '1.3', { ...machine, machineId: '' }, 'machineId: machineId is ""; it must be at least 1 character long'],
    ['the cell of a GPU', '1.4', { ...machine, gpus: [{ index: 0, numaNode: 1 }] }],
    [
      'two GPUs with the same index',
      '1.4',
      { ...machine, gpus: [{ index: 0 }, { index: 0, numaNode: 1 }] },
      'gpus: gpus is a list of 2; it must not give two GPUs the same number',
    ],
    [
      'the cell of a GPU in a version without it',
      '1.3',
      { ...machine, gpus: [{ index: 0, numaNode: 1 }] },
      'gpus.0.numaNode: gpus.0.numaNode is not a field of this version',
    ],
    [
      'the id of the machine in a version without it',
      '1.2',
      { ...machine, machineId: null },
      'machineId: machineId is not a field of this version',
    ],
  ],
  oldest,
  newest,
  parse: parseHostStats,
  current: (document) => currentStats(document as PublishedStats),
  in: (version, document) => statsIn(version as StatsVersion, document),
  published: publishedStats,
  versionOf: (document) => statsVersionOf(document as PublishedStats),
})

test('the last version in the list of schemas is the current version', () => {
  expect(Object.keys(statsSchemas).at(-1)).toBe(CURRENT_STATS_VERSION)
})

test('a report of 1.0 is converted to the same report with and without the short way', () => {
  fc.assert(
    fc.property(oldest, (document) => {
      const stats = hostStatsV1_0.parse(document)
      const plain = { ...stats, numaCells: [], gpus: [] }
      for (const one of [stats, plain]) expect(JSON.stringify(currentStats(one))).toBe(JSON.stringify(upgradeEach1_0(one)))
    }),
    { seed: 1, numRuns: 200 },
  )
})

test('the oldest version that can express a report is found at once as by trying each, with the fields in the same order', () => {
  const found = new Set<string>()
  fc.assert(
    fc.property(fc.oneof(oldest, newer, withOmitted, newest), (given) => {
      const parsed = parseHostStats(given)
      if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join('; '))
      const stats = parsed.value
      const tried = statsVersions.map((version) => statsIn(version, stats)).find(({ ok }) => ok)
      const published = publishedStats(stats)
      expect(JSON.stringify(published)).toBe(JSON.stringify(tried?.ok === true ? tried.value : undefined))
      found.add(statsVersionOf(published))
    }),
    { numRuns: 1_000 },
  )
  expect([...found].sort()).toEqual([...statsVersions])
})
