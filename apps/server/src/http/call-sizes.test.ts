import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAX_REPORT_LENGTH, MAX_REPORT_VALUES } from '../services/stats/read-report.ts'
import { type Json, startTestService, type TestService } from '../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const uuids = (count: number): string[] => Array.from({ length: count }, () => randomUUID())
const range = <T>(count: number, of: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => of(i))

/** A large present-day host: 512 CPUs in 8 cells, 16 GPUs, 2 TiB in two sizes of pages, 200 kinds of devices, 2,000 instances. */
const largeHost = {
  ...{ vcpus: 512, vcpusUsed: 300, memoryMb: 6_291_456, memoryMbUsed: 1_000_000, localGb: 100_000, localGbUsed: 1_000 },
  hypervisorType: 'QEMU',
  hypervisorVersion: 8_002_000,
  cpuInfo: { arch: 'x86_64', vendor: 'AMD', model: 'EPYC-Genoa', features: range(220, (i) => `feature-with-a-long-name-${i}`) },
  numaCells: range(8, (cell) => ({
    id: cell,
    cpuset: range(64, (i) => cell * 64 + i),
    siblings: range(32, (i) => [cell * 64 + i, cell * 64 + 32 + i]),
    memoryMb: 786_432,
    memoryUsageMb: 100_000,
    cpuUsage: 20,
    pinnedCpus: range(20, (i) => cell * 64 + i),
    socket: cell >> 2,
    pages: [
      { sizeKib: 4, total: 100_000_000, used: 1_000 },
      { sizeKib: 2_048, total: 200_000, used: 100_000 },
      { sizeKib: 1_048_576, total: 300, used: 100 },
    ],
    physicalNetworks: ['physnet0', 'physnet1'],
  })),
  gpus: range(16, (index) => ({ index, model: 'NVIDIA H100 80GB HBM3', usedMilli: 500 })),
  pciPools: range(200, (i) => ({
    ...{ vendorId: '8086', productId: `15${i}`, numaNode: i % 8, deviceType: 'type-VF', total: 64, used: 3 },
    tags: [
      { key: 'physical_network', value: `physnet${i}` },
      { key: 'trusted', value: 'true' },
    ],
  })),
  traits: range(400, (i) => `HW_CPU_X86_A_LONG_NAME_OF_A_TRAIT_${i}`),
  inventories: range(60, (i) => ({ resourceClass: `CUSTOM_RESOURCE_CLASS_${i}`, total: 1_000, used: 10 })),
  instances: uuids(2_000),
}

let sequence = 0
const incarnation = randomUUID()
const send = async (host: string, report: Json): Promise<Json> => {
  const update = { name: { host }, reporter: { incarnation, sequence: ++sequence }, report }
  const { data, text } = await api.ask(
    `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
      ... on UserError { message path } ... on ValidationError { issues { rule path } } ... on ResourceStatsApplied { lastSequence } } } }`,
    { u: [update] },
  )
  return (data as Json)?.updateResourceStats.results[0] ?? { text }
}

describe('a report', () => {
  test('the report of a large host is accepted, and is less than a third as long as a report may be', async () => {
    expect(await send('large', { full: largeHost })).toMatchObject({ __typename: 'ResourceStatsApplied' })
    expect(3 * JSON.stringify(largeHost).length).toBeLessThan(MAX_REPORT_LENGTH)
  })

  test('a report with as many instances as a host may list is accepted', async () => {
    const { instances: _, ...rest } = largeHost
    expect(await send('many', { full: { ...rest, pciPools: [], instances: uuids(10_000) } })).toMatchObject({
      __typename: 'ResourceStatsApplied',
    })
  })

  test.each<[string, Json]>([
    [
      'features of CPUs',
      {
        full: {
          ...largeHost,
          cpuInfo: { features: range(1_024, (i) => `${i}`.padEnd(255, 'x')) },
          traits: range(1_024, (i) => `${i}`.padEnd(255, 'x')),
        },
      },
    ],
    [
      'devices with many tags',
      {
        full: {
          ...largeHost,
          pciPools: range(256, (i) => ({
            vendorId: `${i}`,
            productId: 'p',
            total: 1,
            tags: range(30, (t) => ({ key: `${t}`, value: 'x'.repeat(100) })),
          })),
        },
      },
    ],
    [
      'siblings',
      { full: { ...largeHost, numaCells: range(64, (id) => ({ id, cpuset: [id], memoryMb: 1, siblings: range(4_000, () => [id]) })) } },
    ],
    ['values that are not instances', { delta: { baseSequence: 1, addInstances: range(10_000, () => 'x'.repeat(60)) } }],
    ['a document of Nova', { nova: { compute_node: { a: 'x'.repeat(MAX_REPORT_LENGTH) } } }],
  ])('a report that is too long by %s is refused with the limit and the length of the report', async (_name, report) => {
    const answer = await send('too-large', report)
    if (answer.text !== undefined) expect(answer.text).toContain('GRAPHQL_VALIDATION_FAILED')
    else {
      expect(answer.issues[0]).toMatchObject({ rule: 'call.too_large' })
      expect(answer.message).toMatch(new RegExp(`at most ${MAX_REPORT_LENGTH} characters of JSON; it has more`))
    }
  })

  test('the values in the JSON texts of a Nova document are counted, but not the brackets and commas in their strings', async () => {
    const node = (cells: unknown) => ({
      'nova_object.name': 'ComputeNode',
      'nova_object.namespace': 'nova',
      'nova_object.version': '1.19',
      'nova_object.data': { numa_topology: JSON.stringify({ 'nova_object.data': { cells } }) },
    })
    const answer = await send('values-in-text', { nova: node([{ id: 0, cpuset: range(MAX_REPORT_VALUES, (i) => i % 10) }]) })
    expect(answer.issues[0]).toMatchObject({ rule: 'call.too_large' })
    expect(answer.message).toContain(`at most ${MAX_REPORT_VALUES} values, including those within lists and objects; it has more`)
    const refused = await send('values-in-text', { nova: node(`\\"${'[,{'.repeat(MAX_REPORT_VALUES / 2)}`) })
    expect(refused.issues.map(({ rule }: Json) => rule)).toEqual(['stats.invalid'])
  })

  test('a report of many short values is refused with the limit and the count, and reports of real hosts are far below the limit', async () => {
    const numaCells = range(64, (id) => ({ id, cpuset: range(400, (i) => id * 400 + i), memoryMb: 1, siblings: range(300, () => [id]) }))
    const answer = await send('short-values', { full: { ...largeHost, instances: [], numaCells } })
    expect(answer).toMatchObject({ __typename: 'ValidationError', issues: [{ rule: 'call.too_large' }] })
    expect(answer.message).toMatch(new RegExp(`at most ${MAX_REPORT_VALUES} values, including those within lists and objects; it has more`))
    const count = (value: unknown): number =>
      value === null || typeof value !== 'object' ? 1 : Object.values(value).reduce((sum: number, inner) => sum + count(inner), 1)
    expect(3 * count(largeHost)).toBeLessThan(MAX_REPORT_VALUES)
  })

  test('deltas that keep adding instances are refused before the host has more than a full report may list', async () => {
    expect(await send('growing', { full: { ...largeHost, instances: uuids(6_000) } })).toMatchObject({ __typename: 'ResourceStatsApplied' })
    const base = sequence
    const answer = await send('growing', { delta: { baseSequence: base, addInstances: uuids(4_001) } })
    expect(answer).toMatchObject({ __typename: 'ValidationError', issues: [{ rule: 'call.too_large' }] })
    expect(answer.message).toContain('at most 10000 instances, not 10001')
    expect(await send('growing', { delta: { baseSequence: base, addInstances: uuids(4_000) } })).toMatchObject({
      __typename: 'ResourceStatsApplied',
    })
  })
})

describe('queries and extra specs, which are evaluated on every host', () => {
  const place = async (gantt: Json): Promise<Json> => {
    const { data, text } = await api.ask(
      `mutation ($input: SelectDestinationsInput!) { it: selectDestinations(input: $input) { __typename ... on UserError { message }
        ... on ValidationError { issues { rule path } } } }`,
      { input: { idempotencyKey: randomUUID(), spec: { gantt: { flavor: { vcpus: 1, memoryMb: 64 }, ...gantt } } } },
    )
    return (data as Json)?.it ?? { text }
  }
  const asking = (query: string) => place({ schedulerHints: [{ key: 'query', values: [query] }] })
  const spec = (value: string) => place({ flavor: { vcpus: 1, memoryMb: 64, extraSpecs: [{ key: 'cpu', value }] } })

  test.each<[string, () => Promise<Json>, string]>([
    ['a query nested too deep', () => asking(`${'["not",'.repeat(17)}true${']'.repeat(17)}`), 'nested at most 16 deep, not 17'],
    ['a query nested without end', () => asking('['.repeat(4_000)), 'nested at most 16 deep, not 4000'],
    ['a query of dictionaries', () => asking('{"a":'.repeat(500)), 'nested at most 16 deep, not 500'],
    ['a query of too many arguments', () => asking(`["and",${'1,'.repeat(300)}1]`), 'at most 200 operators and arguments, not 303'],
    ['a query of many small queries', () => asking(`["or",${'["=","$a",1],'.repeat(100)}1]`), 'at most 200 operators and arguments'],
    ['too many choices', () => spec(`<or> ${Array.from({ length: 60 }, (_, i) => `c${i}`).join(' <or> ')}`), 'at most 100 words'],
    ['too many words that must all be present', () => spec(`<all-in> ${'w '.repeat(200)}`), 'at most 100 words'],
    ['too many words behind blanks', () => spec(`\t <in> ${'w '.repeat(200)}`), 'at most 100 words'],
  ])('%s is refused with the limit and the number found', async (_name, ask, message) => {
    const answer = await ask()
    expect(answer).toMatchObject({ __typename: 'ValidationError', issues: [{ rule: 'call.too_large' }] })
    expect(answer.message).toContain(message)
  })

  test.each<[string, () => Promise<Json>]>([
    ['brackets and commas in a text of a query', () => asking(`["=", "$host", "${'[,'.repeat(500)}"]`)],
    ['escaped quotes in a text of a query', () => asking(`["=", "$host", "${'\\"['.repeat(100)}"]`)],
    ['a query from the documentation of Nova', () => asking('["and",[">=","$free_ram_mb",1024],[">=","$free_disk_mb",200]]')],
    ['a long value without an operator', () => spec('w '.repeat(200))],
    ['typical choices in flavors', () => spec('<or> a <or> b <or> c')],
  ])('%s is not refused', async (_name, ask) => expect((await ask()).__typename).not.toBe('ValidationError'))
})
