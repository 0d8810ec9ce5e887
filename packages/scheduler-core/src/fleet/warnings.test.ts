import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { auditWorld } from '../audit/index.ts'
import { FEATURE_LEVEL, type Grants } from '../records/change.ts'
import { aClaim, aLog, aReport, aUuid, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { atOnce, SLICE } from '../values/steps.ts'
import { Fleet } from './fleet.ts'
import { Historian, histories } from './history.suite.ts'
import { WarningCounter, warningsOf, warningText } from './warnings.ts'

test('counting the warnings of a large fleet yields between steps', () => {
  const log = aLog()
  const hosts = 2 * SLICE + 1
  const list = (host: number) => (host % 2 === 0 ? { instances: [] } : {})
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Array.from({ length: hosts }, (_, host) => aReport(`h${host}`, list(host)))])
  const counter = new WarningCounter(log.fleet)
  expect([...counter.count()]).toHaveLength(2)
  expect(atOnce(counter.count())).toEqual(
    new Map([
      ['capacity.below_claims', 0],
      ['use.below_claims', 0],
      ['use.beyond_memory', 0],
      ['use.no_instances', SLICE],
    ]),
  )
  expect([...counter.count()]).toHaveLength(0)
})

test('counts that examine only changed hosts equal counts that examine all hosts', () => {
  let most = 0
  fc.assert(
    fc.property(histories, fc.constantFrom(3, FEATURE_LEVEL), (steps, level) => {
      const fleet = new Fleet()
      const historian = new Historian(level)
      const counter = new WarningCounter(fleet)
      fleet.apply(historian.first(fleet))
      for (const step of steps) {
        fleet.apply(historian.next(fleet, step))
        const counts = atOnce(counter.count())
        expect(counts).toEqual(atOnce(new WarningCounter(fleet).count()))
        most = Math.max(most, ...counts.values())
      }
    }),
    { numRuns: byExtent(60, 2_000) },
  )
  expect(most).toBeGreaterThan(1)
})

test('two counts at the same time have the same result', () => {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, ...Array.from({ length: 4 * SLICE }, (_, host) => aReport(`h${host}`))])
  const counter = new WarningCounter(log.fleet)
  const running = [counter.count(), counter.count()]
  const results: unknown[] = []
  while (results.length < 2)
    for (const count of running) {
      const { done, value } = count.next()
      if (done && value !== undefined) results.push(value)
    }
  const alone = atOnce(new WarningCounter(log.fleet).count())
  expect(results).toEqual([alone, alone])
})

test.each([
  [0, 'so each claim on it counts in full'],
  [1, 'so its 1 live claim counts in full'],
  [2, 'so its 2 live claims count in full'],
])('a host that does not list its instances and has %i claims gets a warning about these claims', (held, words) => {
  expect(warningText({ code: 'use.no_instances', subject: 'instances', reported: null, held })).toContain(words)
})

const claimed: Grants = {
  classes: { VCPU: 4, MEMORY_MB: 2_048, CUSTOM_FPGA: 3 },
  numa: [{ guest: 0, cell: 0, cpus: 1, memoryMb: 1_024, pinned: [0, 1], pages: { sizeKib: 2_048, count: 512 } }],
  gpu: [
    { index: 0, milli: 1_000 },
    { index: 1, milli: 1_000 },
  ],
  pci: [{ request: 0, pool: '8086:1572', count: 2 }],
}
const pages = [
  { sizeKib: 4, total: 262_144 },
  { sizeKib: 2_048, total: 512 },
]
const whole: HostShape = {
  vcpus: 4,
  memoryMb: 4_096,
  inventories: [{ resourceClass: 'CUSTOM_FPGA', total: 3 }],
  numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 2_048, pages }],
  gpus: [{ index: 0 }, { index: 1 }],
  pciPools: [{ vendorId: '8086', productId: '1572', total: 2 }],
}

/** The warnings about capacity after a host with a claim reports these amounts. */
function afterwards(then: HostShape): string[] {
  const log = aLog()
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', whole)])
  expect(log.append([aClaim({ key: 'a', mode: 'CONFIRM', grants: claimed, instances: [aUuid(1)] })])).toEqual([undefined])
  log.append([aReport('h1', { ...whole, ...then }, 2)])
  const warnings = warningsOf(log.fleet, log.fleet.hosts.get(0 as HostIndex)).filter(({ code }) => code === 'capacity.below_claims')
  for (const warning of warnings) expect(warningText(warning)).toContain(`its live claims hold ${warning.held}`)
  if (then.omitted?.length === 3)
    expect(
      warningsOf(log.fleet, log.fleet.hosts.get(0 as HostIndex)).filter(({ subject }) => /GPU|PCI|cells|pages|dedicated/.test(subject)),
    ).toEqual([])
  const findings = [...auditWorld(log.fleet)].flatMap((looked) => looked.findings).filter(({ code }) => code === 'capacity.below_claims')
  expect(findings).toHaveLength(warnings.length)
  return warnings.map(({ subject, reported, held }) => `${subject} ${reported} ${held}`)
}

test.each<readonly [string, HostShape, readonly string[]]>([
  ['the same amounts as before', {}, []],
  ['the same amounts as before, and lists its instances', { instances: [aUuid(1)] }, []],
  ['fewer CPUs', { vcpus: 3 }, ['VCPU 3 4']],
  ['a class that is no longer reported', { inventories: [] }, ['CUSTOM_FPGA 0 3']],
  ['a class of listed instances that is no longer reported', { inventories: [], instances: [aUuid(1)] }, ['CUSTOM_FPGA 0 3']],
  [
    'no devices and cells, because it omits these fields',
    { gpus: [], pciPools: [], numaCells: [], omitted: ['gpus', 'pciPools', 'numaCells'] },
    [],
  ],
  [
    'no devices and cells of listed instances, because it omits these fields',
    { gpus: [], pciPools: [], numaCells: [], omitted: ['gpus', 'pciPools', 'numaCells'], instances: [aUuid(1)] },
    [],
  ],
  ['no GPU, and omits the PCI devices', { gpus: [], pciPools: [], omitted: ['pciPools'] }, ['GPU thousandths 0 2000']],
  ['one GPU less', { gpus: [{ index: 1 }] }, ['GPU thousandths 1000 2000']],
  ['no GPU', { gpus: [], instances: [aUuid(1)] }, ['GPU thousandths 0 2000']],
  ['one PCI device less', { pciPools: [{ vendorId: '8086', productId: '1572', total: 1 }] }, ['PCI 8086:1572 1 2']],
  ['no PCI device', { pciPools: [], instances: [aUuid(1)] }, ['PCI 8086:1572 0 2']],
  ['PCI devices of another vendor', { pciPools: [{ vendorId: '15b3', productId: '1572', total: 2 }] }, ['PCI 8086:1572 0 2']],
  ['PCI devices of the same vendor with another product', { pciPools: [{ vendorId: '8086', productId: '154c', total: 2 }] }, []],
  ['PCI devices with a tag', { pciPools: [{ vendorId: '8086', productId: '1572', total: 2, tags: { physical_network: 'net1' } }] }, []],
  [
    'no cells',
    { numaCells: [], instances: [aUuid(1)] },
    ['shared CPUs of cells 0 1', 'MiB of cells 0 1024', 'dedicated CPUs 0 2', 'pages of 2048 KiB 0 512'],
  ],
  [
    'other pages',
    { numaCells: [{ id: 0, cpuset: [0, 1, 2, 3], memoryMb: 2_048, pages: [{ sizeKib: 1_048_576, total: 1 }] }] },
    ['pages of 2048 KiB 0 512'],
  ],
  [
    'one dedicated CPU less',
    { numaCells: [{ id: 0, cpuset: [0, 1, 2], dedicatedCpuset: [3], memoryMb: 2_048, pages }] },
    ['dedicated CPUs 1 2'],
  ],
])('a host that has claims and reports %s', (_name, then, warnings) => {
  expect(afterwards(then)).toEqual(warnings)
})

/**
 * The warnings about huge pages of a host with 4096 MiB in one cell. Half of this memory is huge pages of 2 MiB, of which `used` are in
 * use.
 */
function aboutPages(used: number | null, then: HostShape, cell: object = {}, level: number = FEATURE_LEVEL): string[] {
  const log = aLog()
  const cells = [{ id: 3, cpuset: [0], memoryMb: 4_096, pages: [{ sizeKib: 2_048, total: 1_024, used }], ...cell }]
  log.append([{ type: 'feature', level }, aReport('h1', { vcpus: 4, memoryMb: 4_096, numaCells: cells, instances: [], ...then })])
  const record = log.fleet.hosts.get(0 as HostIndex)
  const warnings = warningsOf(log.fleet, record)
  const findings = [...auditWorld(log.fleet)].flatMap((looked) => looked.findings)
  expect(findings.map(({ code }) => code)).toEqual(warnings.map(({ code }) => code))
  expect(atOnce(new WarningCounter(log.fleet).count()).get('use.beyond_memory')).toBe(warnings.length)
  return warnings.map(({ code, subject, reported, held }) => `${code} ${subject} ${reported} ${held}`)
}

const ofHost = 'use.beyond_memory MEMORY_MB 0 2048'

test.each<readonly [string, readonly string[], Parameters<typeof aboutPages>]>([
  ['D3: all huge pages and no memory in use', [ofHost], [1_024, { memoryMbUsed: 0 }]],
  ['all huge pages, and less memory in use', ['use.beyond_memory MEMORY_MB 512 2048'], [1_024, { memoryMbUsed: 512 }]],
  ['all huge pages, and the same amount of memory in use', [], [1_024, { memoryMbUsed: 2_048 }]],
  ['no huge pages', [], [0, { memoryMbUsed: 0 }]],
  ['nothing about huge pages', [], [null, { memoryMbUsed: 0 }]],
  [
    'all memory of the host and no memory of the cell in use',
    ['use.beyond_memory memory of cell 3 0 2048'],
    [1_024, { memoryMbUsed: 2_048 }, { memoryUsageMb: 0 }],
  ],
  ['all memory of the cell in use', [], [1_024, { memoryMbUsed: 2_048 }, { memoryUsageMb: 2_048 }]],
  ['plain pages only', [], [1_024, { memoryMbUsed: 0 }, { pages: [{ sizeKib: 4, total: 1_048_576, used: 1_024 }] }]],
  [
    'the memory in an inventory',
    [],
    [1_024, { memoryMbUsed: 0, inventories: [{ resourceClass: 'MEMORY_MB', total: 4_096, used: 2_048 }] }],
  ],
  ['below the feature level, without a warning', [], [1_024, { memoryMbUsed: 0 }, {}, 7]],
])('warnings about a report with %s', (_name, expected, report) => {
  expect(aboutPages(...report)).toEqual(expected)
})

test('if used amounts come from claims, reported use causes no warning', () => {
  const log = aLog()
  const numaCells = [{ id: 0, cpuset: [0], memoryMb: 4_096, pages: [{ sizeKib: 2_048, total: 1_024, used: 1_024 }] }]
  log.append([{ type: 'feature', level: FEATURE_LEVEL }, aReport('h1', { vcpus: 4, memoryMb: 4_096, numaCells })])
  log.append([{ type: 'usedFrom', host: 'h1', node: 'h1', usedFrom: 'CLAIMS', reason: 'its figures are wrong' }])
  expect(warningsOf(log.fleet, log.fleet.hosts.get(0 as HostIndex))).toEqual([])
})

test('the warning about huge pages has both amounts', () => {
  expect(warningText({ code: 'use.beyond_memory', subject: 'MEMORY_MB', reported: 0, held: 2_048 })).toBe(
    'The host reports 0 MiB of MEMORY_MB in use, and 2048 MiB of huge pages in use there. Report all memory in use, including huge pages; until then the use of the other memory is unknown.',
  )
})
