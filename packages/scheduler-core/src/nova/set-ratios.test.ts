import { describe, expect, test } from 'vitest'
import { prepareChecks } from '../examine/examine.ts'
import type { Change } from '../records/change.ts'
import { profileSchema } from '../records/profile.ts'
import { parseHostStats } from '../report/stats.ts'
import { publishedStats } from '../report/stats-versions.ts'
import { aLog, aReport, aRequest, aUuid, type HostShape, type TestLog } from '../testing/index.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import type { HostIndex } from '../values/host-index.ts'
import { ALLOCATION_RULES } from '../values/levels.ts'
import { importNovaHost } from './import/host.ts'

/* Nova's filters use the same allocation ratios as the filters for claims: those that an operator, an aggregate or an import set. */

const H = 0 as HostIndex
const machine: HostShape = { vcpus: 8, vcpusUsed: 6, memoryMb: 8_192, memoryMbUsed: 8_000, localGb: 100, localGbUsed: 98 }

/** A report in Nova's form about the machine of this test. It has only the ratios in `data`. */
function novaReport(data: Readonly<Record<string, unknown>> = {}): Change {
  const computeNode = {
    ...{ uuid: aUuid(0x11), host: 'h1', hypervisor_hostname: 'h1', vcpus: 8, vcpus_used: 6, memory_mb: 8_192, memory_mb_used: 8_000 },
    ...{ local_gb: 100, local_gb_used: 98, free_ram_mb: 192, free_disk_gb: 2 },
    ...{ cpu_allocation_ratio: 0, ram_allocation_ratio: 0, disk_allocation_ratio: 0, ...data },
  }
  const imported = importNovaHost({
    'nova_object.name': 'ComputeNode',
    'nova_object.namespace': 'nova',
    'nova_object.version': '1.19',
    'nova_object.data': computeNode,
  })
  if (!imported.ok) throw new Error(canonicalJson(imported.problems))
  const parsed = parseHostStats(imported.document)
  if (!parsed.ok) throw new Error(canonicalJson(parsed.problems))
  return { ...aReport('h1'), full: publishedStats(parsed.value) }
}

const classes = [
  { resourceClass: 'VCPU', key: 'cpu_allocation_ratio', filters: ['CoreFilter', 'AggregateCoreFilter'], total: 8, used: 6 },
  { resourceClass: 'MEMORY_MB', key: 'ram_allocation_ratio', filters: ['RamFilter', 'AggregateRamFilter'], total: 8_192, used: 8_000 },
  { resourceClass: 'DISK_GB', key: 'disk_allocation_ratio', filters: ['DiskFilter', 'AggregateDiskFilter'], total: 100, used: 98 },
] as const
type Class = (typeof classes)[number]

const by = { by: 'ops', reason: 'measured' }
const override = ({ resourceClass }: Class, ratio: number): Change => ({
  type: 'hostAllocation',
  host: 'h1',
  node: 'h1',
  resourceClass,
  ratio,
  ...by,
})
const aggregate = ({ key }: Class, ratio: string, n = 1): Change => ({
  type: 'aggregate',
  uuid: aUuid(n),
  expectedVersion: 0,
  next: { name: `a${n}`, hosts: ['h1'], metadata: { [key]: ratio } },
})
const imported = ({ resourceClass }: Class, ratio: number): Change => ({
  type: 'fleetAllocation',
  expectedVersion: 0,
  release: null,
  classes: { [resourceClass]: { ratio } },
  ...by,
})

function logWith(level: number, ...changes: readonly Change[]): TestLog {
  const log = aLog()
  expect(log.append([{ type: 'feature', level }, ...changes]).filter((code) => code !== undefined)).toEqual([])
  return log
}

/** Runs one filter for a request that needs this amount of a resource class. Returns `PASS`, or code and source of the reason. */
function checkOf({ fleet }: TestLog, filter: string, { resourceClass }: Class, need: number, options: Readonly<Record<string, number>>) {
  const profile = profileSchema.parse({ name: 'p', number: 1, compat: 'nova', filters: [{ name: filter, options }], weighers: [] })
  const asked = { VCPU: { vcpus: need }, MEMORY_MB: { memoryMb: need }, DISK_GB: { rootGb: need } }[resourceClass]
  const request = aRequest({ flavor: { ...{ vcpus: 1, memoryMb: 1 }, ...asked } })
  const check = prepareChecks(fleet, request, profile)
    .checksOf(H)
    .find((one) => one.filter === filter)
  return check?.reason === undefined ? 'PASS' : { code: check.reason.code, source: check.reason.source }
}

/** Ways to set the ratio 1.5, in order of precedence. Each row: who sets it, the changes, and the source that a reason names. */
const settings: readonly (readonly [string, (one: Class) => readonly Change[], (one: Class) => string])[] = [
  ['an operator', (one) => [aReport('h1', machine), override(one, 1.5)], ({ key }) => `${key} set for the host`],
  [
    'an operator, although aggregates set another ratio',
    (one) => [aReport('h1', machine), aggregate(one, '9'), override(one, 1.5)],
    ({ key }) => `${key} set for the host`,
  ],
  ['an aggregate', (one) => [aReport('h1', machine), aggregate(one, '1.5'), aggregate(one, '9', 2)], ({ key }) => `aggregate a1 ${key}`],
  [
    'an aggregate, although the document of Nova states another ratio',
    (one) => [novaReport({ [one.key]: 9 }), aggregate(one, '1.5')],
    ({ key }) => `aggregate a1 ${key}`,
  ],
  ['an import', (one) => [novaReport(), imported(one, 1.5)], ({ key }) => `${key} set for the fleet`],
]

describe.each(settings)('a ratio of 1.5 set by %s', (_who, changesFor, sourceFor) => {
  const cases = classes.flatMap((one) => one.filters.flatMap((filter) => [0, 1, 9].map((option) => [filter, option, one] as const)))
  test.each(cases)('%s with the option %i', (filter, option, one) => {
    const log = logWith(ALLOCATION_RULES, ...changesFor(one))
    const free = log.fleet.hosts.classColumns(one.resourceClass).free[H] as number
    expect(free).toBe(one.total * 1.5 - one.used)
    // The filter passes exactly the amount that is free for claims, and refuses one more.
    expect(checkOf(log, filter, one, free, { [one.key]: option })).toBe('PASS')
    expect(checkOf(log, filter, one, free + 1, { [one.key]: option })).toEqual({
      code: { VCPU: 'cpu.short', MEMORY_MB: 'memory.short', DISK_GB: 'disk.short' }[one.resourceClass],
      source: sourceFor(one),
    })
  })

  test("below the feature level, the filter's option has precedence over aggregates", () => {
    const [one] = classes
    const changes = changesFor(one).filter(({ type }) => type !== 'hostAllocation' && type !== 'fleetAllocation')
    const log = logWith(ALLOCATION_RULES - 1, ...changes)
    expect(checkOf(log, 'CoreFilter', one, 3, { [one.key]: 1 })).toEqual({ code: 'cpu.short', source: `option ${one.key}` })
    expect(checkOf(log, 'CoreFilter', one, 3, { [one.key]: 9 })).toBe('PASS')
  })
})

describe('a ratio that a host reports', () => {
  const [core, , disk] = classes
  test("a reported ratio applies if the profile does not set the filter's option", () => {
    const log = logWith(ALLOCATION_RULES, aReport('h1', { ...machine, cpuAllocationRatio: 1.5, diskAllocationRatio: 1.5 }))
    expect(checkOf(log, 'CoreFilter', core, 6, {})).toBe('PASS')
    expect(checkOf(log, 'DiskFilter', disk, 52, {})).toBe('PASS')
    const before = logWith(ALLOCATION_RULES - 1, aReport('h1', { ...machine, diskAllocationRatio: 1.5 }))
    expect(checkOf(before, 'DiskFilter', disk, 52, {})).toEqual({ code: 'disk.short', source: `option ${disk.key}` })
  })

  test("a reported ratio is overridden in the filter by the profile's option, which does not change the capacity for claims", () => {
    const log = logWith(ALLOCATION_RULES, aReport('h1', { ...machine, cpuAllocationRatio: 2 }))
    expect(checkOf(log, 'CoreFilter', core, 8, { [core.key]: 1 })).toEqual({ code: 'cpu.short', source: `option ${core.key}` })
    expect(checkOf(log, 'CoreFilter', core, 8, { [core.key]: 16 })).toBe('PASS')
    expect(log.fleet.hosts.classColumns('VCPU').free[H]).toBe(10)
  })

  test.each(['0', 'lots'])('is used by AggregateCoreFilter if an aggregate sets the invalid ratio %j', (bad) => {
    const log = logWith(ALLOCATION_RULES, aReport('h1', { ...machine, cpuAllocationRatio: 1.5 }), aggregate(core, bad))
    expect(checkOf(log, 'AggregateCoreFilter', core, 6, {})).toBe('PASS')
    expect(log.fleet.hosts.classColumns('VCPU').free[H]).toBe(6)
  })
})

test('with a ratio below 1, RamFilter subtracts the reserved amount from total x ratio, but the capacity is (total - reserved) x ratio', () => {
  const memory = classes.find(({ resourceClass }) => resourceClass === 'MEMORY_MB') as Class
  const reserve: Change = { type: 'hostAllocation', host: 'h1', node: 'h1', resourceClass: 'MEMORY_MB', ratio: 0.5, reserved: 1_024, ...by }
  const log = logWith(ALLOCATION_RULES, aReport('h1', { vcpus: 4, memoryMb: 4_096, memoryMbUsed: 0, localGb: 100 }), reserve)
  expect(log.fleet.hosts.classColumns('MEMORY_MB').free[H]).toBe((4_096 - 1_024) / 2)
  expect(checkOf(log, 'RamFilter', memory, 4_096 / 2 - 1_024, {})).toBe('PASS')
  expect(checkOf(log, 'RamFilter', memory, 4_096 / 2 - 1_024 + 1, {})).toMatchObject({ code: 'memory.short' })
})

test('NUMATopologyFilter uses the ratio that an aggregate or an operator set', () => {
  const cell = { id: 0, cpuset: [0, 1, 2, 3], memoryMb: 4_096, cpuUsage: 4 }
  const one = classes[0]
  const log = logWith(ALLOCATION_RULES, aReport('h1', { ...machine, vcpusUsed: 4, numaCells: [cell] }), aggregate(one, '2'))
  const guest = (cpus: number) =>
    aRequest({
      flavor: { vcpus: cpus, memoryMb: 64 },
      image: { id: 'i' },
      numaTopology: { cells: [{ id: 0, cpus: Array.from({ length: cpus }, (_, i) => i), memoryMb: 64 }] },
    })
  const profile = profileSchema.parse({ name: 'p', number: 1, compat: 'nova', filters: [{ name: 'NUMATopologyFilter' }], weighers: [] })
  const verdicts = (cpus: number) =>
    prepareChecks(log.fleet, guest(cpus), profile)
      .checksOf(H)
      .filter(({ filter }) => filter === 'NUMATopologyFilter' || filter === 'NumaFilter')
      .map(({ verdict }) => verdict)
  expect(new Set(verdicts(4))).toEqual(new Set(['PASS']))
  log.append([override(one, 1)])
  expect(new Set(verdicts(1))).toEqual(new Set(['FAIL']))
})
