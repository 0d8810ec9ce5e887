import { expect, test } from 'vitest'
import { byField, readField, reportedFields } from './host-field-lists.ts'
import { hostFields, type ReadableHost } from './host-fields.ts'
import { compileQuery, parseQuery } from './index.ts'

type Machine = ReadableHost['record']['stats']

const NOW = 1_000_000

/** A host that reported this data about its machine, with one claim in each state. */
const hostOf = (stats: Machine): ReadableHost => ({
  fleet: {
    hosts: {
      classes: new Map([['MEMORY_MB', { capacity: [0, 1_000], free: [0, 250] }]]),
      columns: { status: [0, 2], liveness: [0, 1], instances: [0, 3], gpuFreeMilli: [0, 1_500] },
    },
    aggregates: { byUuid: new Map([['u1', { name: 'ssd' }]]) },
  },
  record: {
    index: 1,
    host: 'cmp-2',
    node: 'node-2',
    formerNames: [
      { host: 'cmp-1', isFree: false },
      { host: 'cmp-0', isFree: true },
    ],
    zone: 'z1',
    aggregates: ['u1', 'u2'],
    traits: new Set(['AVX']),
    gpus: [0, 1],
    claims: ['RESERVED', 'CONFIRMED', 'MATERIALISED', 'RELEASED', 'EXPIRED', 'REVOKED'].map((state) => ({ state })),
    reportedAt: 990_000,
    stats,
  },
})

const cpu = { arch: 'x86_64', vendor: 'Intel', model: 'Cascadelake-Server' }
const hosts: Readonly<Record<string, Machine>> = {
  old: { hypervisorType: 'QEMU', hypervisorVersion: 6_002_000, cpuInfo: cpu },
  new: { hypervisorType: 'QEMU', hypervisorVersion: 10_000_000, cpuInfo: { ...cpu, vendor: 'AMD', model: 'EPYC Milan' } },
  other: { hypervisorType: 'VMware ESXi', hypervisorVersion: 0, cpuInfo: { ...cpu, vendor: null, model: null } },
  silent: { hypervisorType: null, hypervisorVersion: null, cpuInfo: null },
}
const readers = byField(reportedFields, 'name', (field) => (host: string) => readField(field, hostOf(hosts[host] as Machine), NOW))

test('each field reads the expected value from a host', () => {
  const host = hostOf({ hypervisorType: 'QEMU', hypervisorVersion: 8_002_000, cpuInfo: cpu })
  expect(byField(hostFields, 'name', (field) => readField(field, host, NOW))).toMatchObject({
    host: ['cmp-2', 'cmp-1'],
    node: 'node-2',
    az: 'z1',
    agg: ['ssd', 'u2'],
    state: 'SUSPECT',
    status: 'DRAINING',
    trait: ['AVX'],
    'cpu.free': 0,
    'cpu.total': 0,
    'cpu.used': 0,
    'mem.free': 250,
    'mem.total': 1_000,
    'mem.used': 75,
    'disk.free': 0,
    'disk.total': 0,
    'disk.used': 0,
    'gpu.count': 2,
    'gpu.free': 1.5,
    claims: 3,
    instances: 3,
    age: 10,
    'hypervisor.type': 'QEMU',
    'hypervisor.version': 8_002_000,
    'cpu.model': 'Cascadelake-Server',
    'cpu.vendor': 'Intel',
    'cpu.arch': 'x86_64',
  })
})

test.each([
  ['a report that never came', 0, undefined],
  ['a report that is dated in the future', NOW + 5_000, 0],
])('the age of %s, with the report time %i, is %s', (_what, reportedAt, age) => {
  const host = hostOf(hosts.silent as Machine)
  const [field] = hostFields.filter(({ name }) => name === 'age')
  expect(field && readField(field, { ...host, record: { ...host.record, reportedAt } }, NOW)).toBe(age)
})

test('no two fields have the same name, alias, column or CSV heading', () => {
  const words = hostFields.flatMap((field) => [field.name, ...('aliases' in field ? field.aliases : [])])
  const columns = hostFields.flatMap((field) => ('column' in field ? [field.column] : []))
  for (const names of [words, columns, hostFields.map(({ copied }) => copied)]) expect(new Set(names).size).toBe(names.length)
})

test('the fields that hosts report are the last, as docs/query.md says', () => {
  expect(hostFields.slice(-reportedFields.length)).toEqual(reportedFields)
})

test.each([
  ['a complete type', 'hypervisor.type:QEMU', ['old', 'new']],
  ['a type by its short name', 'hv.type:VM*', ['other']],
  ['a version as a number', 'hypervisor.version>=8002000', ['new']],
  ['a lower version', 'hv.version<10000000', ['old', 'other']],
  ['an exact version', 'hypervisor.version:6002000', ['old']],
  ['a model with blanks', 'cpu.model:"EPYC Milan"', ['new']],
  ['one of several vendors', 'cpu.vendor:AMD,Intel', ['old', 'new']],
  ['an architecture', 'cpu.arch:x86_64', ['old', 'new', 'other']],
  ['the absence of a text', '-cpu.model:*', ['other', 'silent']],
  ['the absence of a number', '-hypervisor.version>=0', ['silent']],
])('hosts are found by %s', (_what, text, found) => {
  const { query, problems } = parseQuery(text, hostFields)
  expect(problems).toEqual([])
  expect(Object.keys(hosts).filter(compileQuery(query, hostFields, readers))).toEqual(found)
})

test.each([
  ['cpu.model>=a', 'it is a text: write cpu.model:value'],
  ['hypervisor.version>=8.2.0', '8.2.0 is no number, such as 10'],
])('%s is refused: %s', (text, message) => expect(parseQuery(text, hostFields).problems[0]?.message).toContain(message))
