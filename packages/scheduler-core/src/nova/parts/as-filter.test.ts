import { describe, expect, test } from 'vitest'
import { filters } from '../../bundled.ts'
import { prepareChecks } from '../../examine/examine.ts'
import { openOverlay } from '../../fleet/overlay.ts'
import { parseProfile } from '../../pipeline/compile.ts'
import type { Change } from '../../records/change.ts'
import { profileSchema } from '../../records/profile.ts'
import { aClaim, aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { novaFilterNames } from '../built-in.ts'
import { novaFilters } from '../filters/index.ts'
import { sidesBy } from './facts.ts'

type Request = Parameters<typeof aRequest>[0]

interface Row {
  readonly host?: HostShape
  /** Changes that are appended to the log after the host's report. */
  readonly after?: readonly Change[]
  readonly request?: Request
  readonly options?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** The expected result: `PASS`, `NOT_ASKED`, or some fields of the reason. */
  readonly says: 'PASS' | 'NOT_ASKED' | object
}

const H1 = 0 as HostIndex

const profileOf = (name: string, options: Row['options'] = {}) =>
  profileSchema.parse({ name: 'p', number: 1, filters: [{ name, options }], weighers: [] })

/** The result of the filter for host h1, in a decision by a profile with this filter. */
function sayOf(name: string, { host = {}, after = [], request, options }: Row): unknown {
  const log = aLog()
  log.append([aReport('h1', host)])
  for (const change of after) expect(log.append([change])).toEqual([undefined])
  const checks = prepareChecks(log.fleet, aRequest(request), profileOf(name, options)).checksOf(H1)
  const check = checks.find(({ filter }) => filter === name)
  for (const { required, actual, requiredFrom, actualFrom } of check?.facts ?? []) {
    expect(requiredFrom.ref).not.toBe('')
    expect(actualFrom.ref).not.toBe('')
    if (check?.reason?.code !== 'filter.error') expect([required, actual]).toEqual([check?.reason?.need, check?.reason?.have])
  }
  expect(check?.facts?.length).toBe(check?.reason === undefined ? undefined : 1)
  return check?.reason ?? check?.verdict
}

const aggregate = (metadata: Record<string, string>): Change => ({
  type: 'aggregate',
  uuid: aUuid(1),
  expectedVersion: 0,
  next: { name: 'racks', hosts: ['h1'], metadata },
})
const flavor = (parts: Partial<NonNullable<NonNullable<Request>['flavor']>>) => ({ flavor: { vcpus: 1, memoryMb: 1_024, ...parts } })
const hint = (name: string, ...words: readonly string[]) => ({ schedulerHints: { [name]: [...words] } })
const image = (properties: Record<string, string>) => ({ image: { id: 'i1', properties } })
const attested = (level: unknown): Change => ({
  type: 'namespace',
  host: 'h1',
  node: 'h1',
  namespace: 'attestation',
  version: '1',
  incarnation: aUuid(2),
  sequence: 1,
  document: { level, at: '1970-01-01T00:00:01Z' },
})
const aNovaReport = (flavors: Record<string, string>) => ({
  computeNode: { 'nova_object.name': 'ComputeNode', 'nova_object.version': '1.19', 'nova_object.data': { free_disk_gb: 1 } },
  flavors,
})
const took = (grants: object): Change => aClaim({ grants: { classes: { VCPU: 1, MEMORY_MB: 1_024, ...grants } } })

const tables: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  AllHostsFilter: { 'every host passes, without a call': { says: 'NOT_ASKED' } },
  IoOpsFilter: {
    'fewer operations than the maximum': { host: { numIoOps: 7 }, says: 'PASS' },
    'a claim that the report does not count adds one operation': {
      host: { numIoOps: 7 },
      after: [took({})],
      says: { code: 'io_ops.too_many', have: 8, need: 'fewer than 8' },
    },
    'the option sets the maximum': { host: { numIoOps: 1 }, options: { max_io_ops_per_host: 1 }, says: { have: 1, need: 'fewer than 1' } },
  },
  AggregateIoOpsFilter: {
    'the aggregate sets the maximum': {
      host: { numIoOps: 2 },
      after: [aggregate({ max_io_ops_per_host: '2' })],
      says: { code: 'io_ops.too_many', source: 'aggregate racks max_io_ops_per_host' },
    },
  },
  NumInstancesFilter: {
    'instances in the report and in claims are counted': {
      host: { runningVms: 1 },
      after: [took({})],
      options: { max_instances_per_host: 2 },
      says: { have: 2, need: 'fewer than 2' },
    },
  },
  AggregateNumInstancesFilter: {
    'the aggregate sets the maximum': { host: { runningVms: 3 }, after: [aggregate({ max_instances_per_host: '4' })], says: 'PASS' },
  },
  AggregateMultiTenancyIsolation: {
    'the aggregate is for projects other than that of the request': {
      after: [aggregate({ filter_tenant_id: 'p1, p2' })],
      request: { projectId: 'p3' },
      says: { need: 'p3', have: 'p1, p2' },
    },
    'the project of the request is one of those of the aggregate': {
      after: [aggregate({ filter_tenant_id: 'p1, p2' })],
      request: { projectId: 'p2' },
      says: 'PASS',
    },
  },
  AggregateTypeAffinityFilter: {
    'the aggregate is for a flavor other than that of the request': {
      after: [aggregate({ instance_type: 'm1.large' })],
      request: flavor({ name: 'm1.small' }),
      says: { need: 'm1.small' },
    },
    'the flavor of the request is one of those of the aggregate': {
      after: [aggregate({ instance_type: 'm1.large, m1.small' })],
      request: flavor({ name: 'm1.small' }),
      says: 'PASS',
    },
  },
  AggregateImagePropertiesIsolation: {
    'the image needs an operating system other than that of the aggregate': {
      after: [aggregate({ os_type: 'windows' })],
      request: image({ os_type: 'linux' }),
      says: { need: 'linux', have: 'windows' },
    },
    'no image': { after: [aggregate({ os_type: 'windows' })], says: 'NOT_ASKED' },
  },
  ComputeCapabilitiesFilter: {
    'capabilities of the CPU that the host reports': {
      host: { cpuInfo: { arch: 'x86_64', features: ['aes', 'vmx'], cores: 8 } },
      request: flavor({ extraSpecs: { 'capabilities:cpu_info:topology:cores': '>= 8', 'capabilities:cpu_info:features': '<in> vmx' } }),
      says: 'PASS',
    },
    'too few': {
      host: { cpuInfo: { cores: 4 } },
      request: flavor({ extraSpecs: { 'capabilities:cpu_info:topology:cores': '>= 8' } }),
      says: { need: '>= 8', have: '4' },
    },
    'a value that cannot be compared is an error, and the host is refused': {
      host: { hypervisorType: 'QEMU' },
      request: flavor({ extraSpecs: { 'capabilities:hypervisor_type': '>= 8' } }),
      says: { code: 'filter.error', subject: 'ComputeCapabilitiesFilter', have: expect.stringContaining('QEMU') },
    },
  },
  IsolatedHostsFilter: {
    'an isolated host refuses an image that is not isolated': {
      options: { isolated_hosts: ['h1'], isolated_images: ['i9'] },
      says: { subject: expect.any(String) },
    },
    'an isolated host takes an isolated image': {
      request: image({}),
      options: { isolated_hosts: ['h1'], isolated_images: ['i1'] },
      says: 'PASS',
    },
  },
  JsonFilter: {
    'no query': { says: 'NOT_ASKED' },
    'a query for more free memory than claims leave': {
      after: [took({ MEMORY_MB: 60_000 })],
      request: hint('query', '[">=", "$free_ram_mb", 6000]'),
      says: { need: expect.any(String) },
    },
    'a query for less free memory than claims leave': {
      request: hint('query', '["and", [">=", "$free_ram_mb", 6000], ["<", "$vcpus_used", 1]]'),
      says: 'PASS',
    },
    'an invalid query is an error, and the host is refused': {
      request: hint('query', '[">="'),
      says: { code: 'filter.error', subject: 'JsonFilter', have: expect.any(String) },
    },
  },
  MetricsFilter: {
    'a required metric that the host does not report': {
      options: { 'metrics.weight_setting': ['fan=1'] },
      says: { need: expect.stringContaining('fan') },
    },
    'a required metric that the host reports': {
      host: { metrics: [{ name: 'fan', value: 3, timestamp: '2026-01-15T12:00:00Z' }] },
      options: { 'metrics.weight_setting': ['fan=1'] },
      says: 'PASS',
    },
  },
  SimpleCIDRAffinityFilter: {
    'the host is in the requested network': {
      host: { hostIp: '192.0.2.9' },
      request: hint('build_near_host_ip', '192.0.2.1'),
      says: 'PASS',
    },
    'the host is outside of the requested network': {
      host: { hostIp: '198.51.100.9' },
      request: hint('build_near_host_ip', '192.0.2.1'),
      says: { have: '198.51.100.9' },
    },
  },
  TrustedFilter: {
    'no attestation exists by default': {
      request: flavor({ extraSpecs: { 'trust:trusted_host': 'trusted' } }),
      says: { code: 'trust.level', need: 'trusted', have: 'unknown' },
    },
    'the level that an attestation service reported of the node': {
      after: [attested('trusted')],
      request: flavor({ extraSpecs: { 'trust:trusted_host': 'trusted' } }),
      says: 'PASS',
    },
    'the host is attested with a level other than the requested one': {
      after: [attested('untrusted')],
      request: flavor({ extraSpecs: { 'trust:trusted_host': 'trusted' } }),
      says: { have: 'untrusted' },
    },
    'a document without a level of trust': {
      after: [attested(7)],
      request: flavor({ extraSpecs: { 'trust:trusted_host': 'trusted' } }),
      says: { have: 'unknown' },
    },
  },
  TypeAffinityFilter: {
    'an empty host': { request: flavor({ name: 'm1' }), says: 'PASS' },
    'instances of the flavor, according to a report in Nova’s form': {
      host: { instances: [aUuid(5)], nova: aNovaReport({ [aUuid(5)]: 'm1' }) },
      request: flavor({ name: 'm1' }),
      says: 'PASS',
    },
    'an instance of another flavor': {
      host: { instances: [aUuid(5)], nova: aNovaReport({ [aUuid(5)]: 'm2' }) },
      request: flavor({ name: 'm1' }),
      says: { code: 'flavor.other', have: 'm2', need: 'm1' },
    },
    'an instance whose flavor was not reported': {
      host: { instances: [aUuid(5)] },
      request: flavor({ name: 'm1' }),
      says: { have: 'unknown' },
    },
  },
  AggregateRamFilter: {
    'the ratio of the aggregate': {
      host: { memoryMb: 1_024, ramAllocationRatio: 1 },
      after: [aggregate({ ram_allocation_ratio: '2' })],
      request: flavor({ memoryMb: 2_048 }),
      says: 'PASS',
    },
    'the free amount is reduced by what claims hold': {
      host: { memoryMb: 2_048, ramAllocationRatio: 1 },
      after: [took({}), aggregate({ ram_allocation_ratio: '1' })],
      request: flavor({ memoryMb: 2_048 }),
      says: { have: 1_024, need: 2_048 },
    },
  },
  AggregateCoreFilter: {
    'the ratio of the aggregate': {
      host: { vcpus: 2, vcpusUsed: 2, cpuAllocationRatio: 1 },
      after: [aggregate({ cpu_allocation_ratio: '1.5' })],
      says: 'PASS',
    },
  },
  AggregateDiskFilter: {
    'too little': { host: { localGb: 10, localGbUsed: 5 }, request: flavor({ rootGb: 6 }), says: { have: 5 * 1_024, need: 6 * 1_024 } },
  },
  ExactCoreFilter: {
    'as many as are left': { host: { vcpus: 4, vcpusUsed: 2 }, request: flavor({ vcpus: 2 }), says: 'PASS' },
    'fewer than are left': { host: { vcpus: 4, vcpusUsed: 2 }, says: { need: 1, have: 2 } },
  },
  ExactRamFilter: {
    'as much as is left': { host: { memoryMb: 4_096, memoryMbUsed: 3_072 }, says: 'PASS' },
  },
  ExactDiskFilter: {
    'as much as is left': { host: { localGb: 10, localGbUsed: 4 }, request: flavor({ rootGb: 6 }), says: 'PASS' },
    'a root disk on a volume needs no space': {
      host: { localGb: 10, localGbUsed: 4 },
      request: { ...flavor({ rootGb: 6, ephemeralGb: 6 }), isBfv: true },
      says: 'PASS',
    },
  },
}

for (const [name, rows] of Object.entries(tables))
  describe(name, () => {
    test.each(Object.entries(rows))('%s', (_what, row) => {
      const said = sayOf(name, row)
      if (typeof row.says === 'string') expect(said).toBe(row.says)
      else expect(said).toMatchObject(row.says)
    })
  })

test('each of Nova’s filters that every profile may name has a table of tests', () => {
  expect([...novaFilterNames].filter((name) => tables[name] === undefined)).toEqual([])
  expect([...novaFilterNames].filter((name) => filters.every((filter) => filter.name !== name))).toEqual([])
})

test('for every filter of Nova, the sources of the needed and the available amount are known', () => {
  const named = novaFilters.map(({ name }) => name).filter((name) => name !== 'AllHostsFilter')
  expect(Object.keys(sidesBy).sort()).toEqual(named.sort())
})

test('a filter counts what an overlay holds, until the overlay is discarded', () => {
  const log = aLog()
  log.append([aReport('h1', { numIoOps: 7 })])
  const { fleet } = log
  const io = () => prepareChecks(fleet, aRequest(), profileOf('IoOpsFilter')).checksOf(H1)[1]?.verdict
  const overlay = openOverlay(fleet)
  for (const part of aClaim().parts) overlay.hold(part, null)
  expect(io()).toBe('FAIL')
  overlay.discard()
  expect(io()).toBe('PASS')
})

test.each([
  ['an unknown option', { most: 3 }, 'filters.0.options'],
  ['an option out of its range', { max_io_ops_per_host: -1 }, 'filters.0.options'],
  ['an option of another type', { max_io_ops_per_host: '8' }, 'filters.0.options'],
])('a profile with %s is refused, with path and allowed values', (_what, options, path) => {
  const parsed = parseProfile({ name: 'p', number: 1, filters: [{ name: 'IoOpsFilter', options }], weighers: [] })
  expect(parsed).toMatchObject({ ok: false, problems: [{ code: 'profile.invalid', path: path.split('.') }] })
})

test('if Nova’s image objects refuse an image property, the filter refuses every host with an error', () => {
  const row = { after: [aggregate({ os_type: 'linux' })], request: image({ hw_cpu_cores: 'many' }), says: {} }
  expect(sayOf('AggregateImagePropertiesIsolation', row)).toMatchObject({
    code: 'filter.error',
    have: expect.stringContaining('hw_cpu_cores'),
  })
})
