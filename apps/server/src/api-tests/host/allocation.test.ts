import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const ask = async (text: string, variables: object = {}) => {
  const answer = JSON.parse((await api.ask(text, variables)).text)
  expect(answer.errors).toBeUndefined()
  return answer.data
}

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename } } }`
const ORIGIN = '{ source by at reason aggregate { name } release }'
const HOST = `query ($name: String!) { host(name: $name) { capacity { resourceClass reserved allocationRatio capacity ratioFrom ${ORIGIN} reservedFrom ${ORIGIN} } } }`
const SET = `mutation ($host: String!, $class: String!, $ratio: Float, $reserved: SafeInt, $dryRun: Boolean) {
  hostSetAllocation(hosts: [{ host: $host }], resourceClass: $class, ratio: $ratio, reserved: $reserved, reason: "measured", dryRun: $dryRun) {
    __typename ... on HostSetAllocationPayload { dryRun impact { warnings } } ... on ValidationError { issues { path } } } }`
const FLEET_SET = `mutation ($v: Int!, $input: FleetAllocationInput!, $dryRun: Boolean) { fleetAllocationSet(ifVersion: $v, input: $input, dryRun: $dryRun) {
  __typename ... on FleetAllocationPayload { dryRun impact { hostsAffected warnings } fleetAllocation { version release by reason classes { resourceClass ratio reserved reservedInUse } } }
  ... on FleetAllocationConflict { current { version } } ... on ValidationError { issues { path } } } }`
const PLACE = `mutation ($in: SelectDestinationsInput!) { selectDestinations(input: $in) { __typename } }`

const machine = { vcpus: 8, vcpusUsed: 0, memoryMb: 8_192, memoryMbUsed: 0, localGb: 100, localGbUsed: 0 }
const incarnation = randomUUID()
let sequence = 0
const reported = async (host: string, report: object) =>
  ask(REPORT, { u: [{ name: { host }, reporter: { incarnation, sequence: ++sequence }, report }] })

const computeNode = (host: string) => ({
  'nova_object.name': 'ComputeNode',
  'nova_object.namespace': 'nova',
  'nova_object.version': '1.19',
  'nova_object.data': {
    ...{ uuid: randomUUID(), host, hypervisor_hostname: host, vcpus: 8, vcpus_used: 0, memory_mb: 8_192, memory_mb_used: 0, local_gb: 100 },
    ...{
      local_gb_used: 0,
      free_ram_mb: 8_192,
      free_disk_gb: 100,
      cpu_allocation_ratio: 0,
      ram_allocation_ratio: 0,
      disk_allocation_ratio: 0,
    },
  },
})

const shown = async (name: string, resourceClass = 'VCPU') => {
  const { host } = await ask(HOST, { name })
  return host.capacity.find((one: { resourceClass: string }) => one.resourceClass === resourceClass)
}
const place = async (host: string) => {
  const spec = { gantt: { forceHosts: [host], instanceUuids: [randomUUID()], flavor: { vcpus: 8, memoryMb: 16 } } }
  return (await ask(PLACE, { in: { idempotencyKey: randomUUID(), spec } })).selectDestinations.__typename
}

test("an override of a host's ratio takes effect, is shown with its account and time, and stays after later reports", async () => {
  await reported('a1', { full: machine })
  const dry = (await ask(SET, { host: 'a1', class: 'VCPU', ratio: 2, dryRun: true })).hostSetAllocation
  expect(dry).toMatchObject({ dryRun: true, impact: { warnings: ['a1: VCPU free 8, then 16'] } })
  expect(await shown('a1')).toMatchObject({ capacity: 8, ratioFrom: { source: 'REPORT', by: null } })
  expect((await ask(SET, { host: 'a1', class: 'VCPU', ratio: 2 })).hostSetAllocation.__typename).toBe('HostSetAllocationPayload')
  await reported('a1', { full: { ...machine, cpuAllocationRatio: 5 } })
  const usage = await shown('a1')
  expect(usage).toMatchObject({ allocationRatio: 2, capacity: 16, ratioFrom: { source: 'HOST', reason: 'measured' } })
  expect(usage.ratioFrom.by).toEqual(expect.any(String))
  expect(Date.parse(usage.ratioFrom.at)).toBeGreaterThan(0)
  expect([await place('a1'), await place('a1'), await place('a1')]).toEqual([
    'SelectDestinationsPayload',
    'SelectDestinationsPayload',
    'NoValidHost',
  ])
  await ask(SET, { host: 'a1', class: 'VCPU', ratio: null })
  expect(await shown('a1')).toMatchObject({ allocationRatio: 5, ratioFrom: { source: 'REPORT' } })
})

test('a value out of range and a missing value are refused with their paths', async () => {
  for (const [edit, path] of [
    [{ class: 'VCPU', ratio: 0 }, 'ratio'],
    [{ class: 'VCPU', ratio: 1_001 }, 'ratio'],
    [{ class: 'vcpu', ratio: 1 }, 'resourceClass'],
    [{ class: 'VCPU', reserved: -1 }, 'reserved'],
    [{ class: 'VCPU' }, 'ratio'],
  ] as const)
    expect((await ask(SET, { host: 'a1', ...edit })).hostSetAllocation).toEqual({
      __typename: 'ValidationError',
      issues: [{ path: [path] }],
    })
})

test("a ratio of 0.0 in Nova's document means the fleet's ratio or, without one, Nova's default; a dry run returns the free amounts", async () => {
  await reported('n1', { nova: computeNode('n1') })
  expect(await shown('n1')).toMatchObject({ allocationRatio: 1, ratioFrom: { source: 'NONE' } })
  const input = { release: 'zed', classes: [{ resourceClass: 'VCPU', ratio: 3 }], reason: 'nova.conf' }
  const dry = (await ask(FLEET_SET, { v: 0, input, dryRun: true })).fleetAllocationSet
  expect(dry).toMatchObject({ dryRun: true, impact: { hostsAffected: 1 } })
  expect(dry.impact.warnings).toEqual(['n1: VCPU free 8, then 24', 'n1: MEMORY_MB free 8192, then 11520'])
  const done = (await ask(FLEET_SET, { v: 0, input })).fleetAllocationSet
  expect(done.fleetAllocation).toMatchObject({ version: 1, release: 'zed', classes: [{ resourceClass: 'VCPU', ratio: 3, reserved: null }] })
  expect(await shown('n1')).toMatchObject({ allocationRatio: 3, capacity: 24, ratioFrom: { source: 'FLEET', reason: 'nova.conf' } })
  expect(await shown('n1', 'MEMORY_MB')).toMatchObject({
    ...{ reserved: 512, allocationRatio: 1.5, capacity: 11_520 },
    ...{ ratioFrom: { source: 'NOVA_DEFAULT', release: 'zed' }, reservedFrom: { source: 'NOVA_DEFAULT' } },
  })
  expect((await ask(FLEET_SET, { v: 0, input })).fleetAllocationSet).toEqual({
    __typename: 'FleetAllocationConflict',
    current: { version: 1 },
  })
  const bad = { ...input, release: 'zebra' }
  expect((await ask(FLEET_SET, { v: 1, input: bad })).fleetAllocationSet).toMatchObject({ issues: [{ path: ['input', 'release'] }] })
  const inUse = (reserved: number | null, reservedInUse: number) => ({
    ...input,
    classes: [{ resourceClass: 'DISK_GB', reserved, reservedInUse }],
  })
  for (const [reserved, part] of [
    [1, 2],
    [null, 1],
  ] as const)
    expect((await ask(FLEET_SET, { v: 1, input: inUse(reserved, part) })).fleetAllocationSet).toMatchObject({
      issues: [{ path: ['input', 'classes', '0', 'reservedInUse'] }],
    })
  expect((await ask(FLEET_SET, { v: 1, input: inUse(2, 1), dryRun: true })).fleetAllocationSet.fleetAllocation.classes).toEqual([
    { resourceClass: 'DISK_GB', ratio: null, reserved: 2, reservedInUse: 1 },
  ])
})

test("an aggregate's ratio takes effect on capacity, and the aggregate is shown as its source", async () => {
  await reported('g1', { full: machine })
  const metadata = [{ key: 'cpu_allocation_ratio', value: '4' }]
  await ask(`mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { __typename } }`, {
    in: { name: 'g', metadata, hosts: ['g1'] },
  })
  const usage = await shown('g1')
  expect(usage).toMatchObject({ allocationRatio: 4, capacity: 32, ratioFrom: { source: 'AGGREGATE', aggregate: { name: 'g' } } })
  expect(usage.ratioFrom.by).toEqual(expect.any(String))
  const { aggregates } = await ask('{ aggregates(first: 5) { nodes { ratios { resourceClass ratio by } } } }')
  expect(aggregates.nodes).toEqual([{ ratios: [{ resourceClass: 'VCPU', ratio: 4, by: usage.ratioFrom.by }] }])
})

test('an invalid ratio of an aggregate causes a warning and has no effect', async () => {
  await reported('g2', { full: { ...machine, cpuAllocationRatio: 3 } })
  const { aggregateCreate } = await ask(
    `mutation ($in: AggregateCreateInput!) { aggregateCreate(input: $in) { ... on AggregatePayload { impact { warnings } } } }`,
    { in: { name: 'g2', metadata: [{ key: 'cpu_allocation_ratio', value: 'lots' }], hosts: ['g2'] } },
  )
  expect(aggregateCreate.impact.warnings).toEqual([
    'cpu_allocation_ratio is "lots", not a number of 0.001 to 1000: no aggregate\'s ratio counts for VCPU on its hosts.',
  ])
  expect(await shown('g2')).toMatchObject({ allocationRatio: 3, ratioFrom: { source: 'REPORT' } })
})

test('for a class that a host does not report, a dry run warns that a value has no effect; setting the ratio leaves the reserved amount unchanged', async () => {
  await reported('a2', { full: machine })
  const typo = (await ask(SET, { host: 'a2', class: 'VCUP', ratio: 2, dryRun: true })).hostSetAllocation
  expect(typo.impact.warnings).toEqual([
    'a2 does not report VCUP: the setting takes effect when the class is reported; a similar name is VCPU',
  ])
  await ask(SET, { host: 'a2', class: 'VCPU', ratio: 2 })
  await ask(SET, { host: 'a2', class: 'VCPU', reserved: 1 })
  const [ratioFrom, reservedFrom] = [{ source: 'HOST' }, { source: 'HOST' }]
  expect(await shown('a2')).toMatchObject({ allocationRatio: 2, reserved: 1, capacity: 14, ratioFrom, reservedFrom })
  await ask(SET, { host: 'a2', class: 'VCPU', ratio: null })
  expect(await shown('a2')).toMatchObject({ allocationRatio: 1, reserved: 1, ratioFrom: { source: 'REPORT' }, reservedFrom })
})
