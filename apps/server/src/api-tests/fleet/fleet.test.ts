import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { codeOf, dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({
    a1: { vcpus: 16, vcpusUsed: 4, traits: ['HW_AVX', 'HW_SSE'], hypervisorType: 'QEMU', hypervisorVersion: 8_002_000 },
    a2: { memoryMb: 1_024, memoryMbUsed: 1_024, traits: ['HW_SSE', 'HW_AVX'] },
    b1: {
      gpus: [{ index: 0 }, { index: 1 }],
      ...{ hypervisorType: 'QEMU', hypervisorVersion: 10_000_000 },
      cpuInfo: { arch: 'x86_64', vendor: 'AMD', model: 'EPYC Milan' },
    },
  })
  await dataOf(api, `mutation { aggregateCreate(input: { name: "zone z1", availabilityZone: "z1", hosts: ["a1", "a2"] }) { __typename } }`)
  await dataOf(api, `mutation { hostSetStatus(hosts: [{ host: "a2" }], status: DISABLED, reason: "disk") { __typename } }`)
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const arrays = { U8: Uint8Array, U16: Uint16Array, U32: Uint32Array, F64: Float64Array }

/** Unpacks a packed column as a client does. */
function unpack({ data, elementType = 'U32' }: { data: string; elementType?: keyof typeof arrays }): number[] {
  const bytes = Uint8Array.from(Buffer.from(data, 'base64'))
  return [...new arrays[elementType](bytes.buffer)]
}

const COLUMNS = `asOf at count ordinals names otherNodes { ordinal node } dictionaries { column values sets } columns { name elementType data }`

describe('columns of all hosts', () => {
  test('every decoded column equals the values of the hosts', async () => {
    const { claim } = await placed()
    const names =
      'STATE STATUS AZ AGGREGATES TRAITS CPU_TOTAL CPU_FREE CPU_USED_PCT MEM_TOTAL_MIB MEM_FREE_MIB MEM_USED_PCT DISK_TOTAL_GIB DISK_FREE_GIB DISK_USED_PCT GPU_COUNT GPU_FREE_MILLI CLAIMS INSTANCES REPORTED_AT HYPERVISOR_TYPE HYPERVISOR_VERSION CPU_MODEL CPU_VENDOR CPU_ARCH'
    const { fleet } = await dataOf(api, `{ fleet { hostCount columns(names: [${names}]) { ${COLUMNS} } } }`)
    const { columns, dictionaries, ordinals, count } = fleet.columns
    const column = (name: string) => unpack(columns.find((one: { name: string }) => one.name === name))
    const dictionary = (name: string) => dictionaries.find((one: { column: string }) => one.column === name)
    const words = (name: string) => column(name).map((code) => dictionary(name).values[code])
    const sets = (name: string) =>
      column(name).map((code) => dictionary(name).sets[code].map((value: number) => dictionary(name).values[value]))

    expect([fleet.hostCount, count, unpack({ data: ordinals })]).toEqual([3, 3, [0, 1, 2]])
    expect(fleet.columns.names).toEqual(['a1', 'a2', 'b1'])
    expect(words('STATE')).toEqual(['UP', 'UP', 'UP'])
    expect(words('STATUS')).toEqual(['ENABLED', 'DISABLED', 'ENABLED'])
    expect(words('AZ')).toEqual(['z1', 'z1', 'nova'])
    expect(sets('AGGREGATES')).toEqual([['zone z1'], ['zone z1'], []])
    expect(sets('TRAITS').map((set) => [...set].sort())).toEqual([['HW_AVX', 'HW_SSE'], ['HW_AVX', 'HW_SSE'], []])
    expect(dictionary('TRAITS').sets).toHaveLength(2)
    // a2 does not report its hypervisor: the value is absent, not an empty text
    expect(sets('HYPERVISOR_TYPE')).toEqual([['QEMU'], [], ['QEMU']])
    expect(sets('HYPERVISOR_VERSION')).toEqual([['8002000'], [], ['10000000']])
    expect(sets('CPU_MODEL')).toEqual([[], [], ['EPYC Milan']])
    expect(sets('CPU_VENDOR')).toEqual([[], [], ['AMD']])
    expect(sets('CPU_ARCH')).toEqual([[], [], ['x86_64']])
    // each element of these columns is one byte, even in a large fleet
    expect(columns.slice(-5).map(({ elementType }: { elementType: string }) => elementType)).toEqual(Array(5).fill('U8'))
    const { nodes } = (
      await dataOf(api, `{ hosts { nodes { capacity { resourceClass capacity free } runningVms told { field label value } } } }`)
    ).hosts
    expect(nodes.map(({ told: labels }: { told: unknown }) => labels)).toEqual([
      [
        { field: 'hypervisor.type', label: 'Hypervisor', value: 'QEMU' },
        { field: 'hypervisor.version', label: 'Hypervisor version', value: '8002000' },
      ],
      [],
      [
        { field: 'hypervisor.type', label: 'Hypervisor', value: 'QEMU' },
        { field: 'hypervisor.version', label: 'Hypervisor version', value: '10000000' },
        { field: 'cpu.model', label: 'CPU model', value: 'EPYC Milan' },
        { field: 'cpu.vendor', label: 'CPU vendor', value: 'AMD' },
        { field: 'cpu.arch', label: 'CPU architecture', value: 'x86_64' },
      ],
    ])
    const freeOf = (name: string) =>
      nodes.map(
        ({ capacity }: { capacity: { resourceClass: string; free: number }[] }) => capacity.find((one) => one.resourceClass === name)?.free,
      )
    expect(column('CPU_FREE')).toEqual(freeOf('VCPU'))
    expect(column('MEM_FREE_MIB')).toEqual(freeOf('MEMORY_MB'))
    expect(column('DISK_FREE_GIB')).toEqual(freeOf('DISK_GB'))
    expect(column('CPU_TOTAL')).toEqual([16, 16, 16])
    expect(column('MEM_TOTAL_MIB')).toEqual([65_536, 1_024, 65_536])
    expect(column('DISK_TOTAL_GIB')).toEqual([1_024, 1_024, 1_024])
    expect(column('MEM_USED_PCT')[1]).toBe(100)
    expect(column('GPU_COUNT')).toEqual([0, 0, 2])
    expect(column('GPU_FREE_MILLI')).toEqual([0, 0, 2_000])
    expect(column('CLAIMS').reduce((sum, one) => sum + one)).toBe(1)
    expect(column('INSTANCES').reduce((sum, one) => sum + one)).toBe(1)
    expect(column('REPORTED_AT').every((at) => at > 1.6e12)).toBe(true)
    await dataOf(api, `mutation ($c: [ClaimRef!]!) { claimRelease(claims: $c) { __typename } }`, { c: [claim] })
  })

  test('columns contain only the hosts that match the query', async () => {
    const { fleet } = await dataOf(api, `{ fleet { columns(names: [STATUS], query: "az:z1 -status:DISABLED") { ${COLUMNS} } } }`)
    expect(fleet.columns.names).toEqual(['a1'])
    expect(unpack({ data: fleet.columns.ordinals })).toEqual([0])
  })

  test.each([
    ['no column', 'names: []'],
    ['a column twice', 'names: [STATE, STATE]'],
    ['a query that is wrong', 'names: [STATE], query: "nope:1"'],
  ])('a call with %s is refused with the path', async (_name, args) => {
    const answer = await api.ask(`{ fleet { columns(${args}) { count } } }`)
    expect(codeOf(answer)).toBe('GRAPHQL_VALIDATION_FAILED')
  })
})

describe('the filter of a list of hosts', () => {
  test.each([
    ['mem.free>=1GiB', ['a1', 'b1']],
    ['trait:HW_* -status:DISABLED', ['a1']],
    ['agg:"zone z1"', ['a1', 'a2']],
    ['gpu.free>1', ['b1']],
    ['hypervisor.version>=9000000', ['b1']],
    ['cpu.model:"EPYC Milan" hypervisor.type:QEMU', ['b1']],
    ['-cpu.vendor:*', ['a1', 'a2']],
    ['-hypervisor.version>=0', ['a2']],
    ['A', ['a1', 'a2']],
  ])('hosts: %s', async (query, names) => {
    const { hosts } = await dataOf(api, `query ($query: String) { hosts(query: $query) { totalCount nodes { name } } }`, { query })
    expect(hosts.nodes.map(({ name }: { name: string }) => name)).toEqual(names)
    expect(hosts.totalCount).toBe(names.length)
  })

  test('all problems of a line are reported at once, each with its column', async () => {
    const answer = await api.ask(`{ hosts(query: "nope:1 mem.free>x") { totalCount } }`)
    expect(answer.text).toContain('column 1: there is no field nope')
    expect(answer.text).toContain('column 17: x is no number')
  })

  test.each([
    ['cause:memory.shrot', 'column 1: no reason has the code memory.shrot; similar codes are memory.short'],
    ['outcome:PLACED -reason:cpu.few,zone.othr', 'column 16: no reason has the code zone.othr; similar codes are zone.other'],
    ['cause:nope', 'column 1: no reason has the code nope; docs/errors.md lists all'],
    ['reason:memry.*', 'column 1: no reason has the code memry.*; docs/errors.md lists all'],
  ])('an unknown reason code is refused: %s', async (query, problem) => {
    const answer = await api.ask(`query ($query: String) { decisions(query: $query) { totalCount } }`, { query })
    expect(answer.text).toContain(problem)
  })

  test.each([
    ['key:availability_zone', 1],
    ['host:a1 hosts>1', 1],
    ['hosts>2', 0],
    ['ZONE', 1],
  ])('aggregates: %s', async (query, count) => {
    const { aggregates } = await dataOf(api, `query ($query: String) { aggregates(query: $query) { totalCount } }`, { query })
    expect(aggregates.totalCount).toBe(count)
  })

  test('decisions are found by every field of the filter grammar', async () => {
    const instance = randomUUID()
    const flavor = { name: 'm1.%_odd', vcpus: 1, memoryMb: 64 }
    const spec = { flavor, instanceUuids: [instance], availabilityZone: 'z1', projectId: 'p-1' }
    const { decision, __typename } = await placeWith(api, { claim: { mode: 'NONE' } }, spec)
    expect(__typename).toBe('SelectDestinationsPayload')
    await placeWith(api, {}, { flavor: { name: 'huge', vcpus: 999, memoryMb: 64 } })
    const found = async (query: string) => {
      const { decisions } = await dataOf(
        api,
        `query ($query: String) { decisions(query: $query) { totalCount nodes { id outcome spec { flavorName } } } }`,
        { query },
      )
      expect(decisions.totalCount).toBe(decisions.nodes.length)
      return decisions.nodes.map(({ id, spec: { flavorName } }: { id: string; spec: { flavorName: string } }) =>
        id === decision.id ? 'odd' : flavorName,
      )
    }
    for (const query of [
      `instance:${instance}`,
      instance.slice(0, 13),
      'flavor:"m1.%_odd"',
      'flavor:m1.*',
      '%_ODD',
      'zone:z1',
      'project:p-1',
      'host:a1 flavor:m1.*',
      'attempt:1 zone:z1 last:1h outcome:placed',
      decision.id,
    ])
      expect([query, await found(query)]).toEqual([query, ['odd']])
    expect(await found('outcome:NO_VALID_HOST')).toEqual(['huge'])
    expect(await found('reason:cpu.* filter:CoreFilter')).toEqual(['huge'])
    expect(await found('-outcome:PLACED profile:default')).toEqual(['huge'])
    expect(await found('flavor:m1_*')).toEqual([])
    expect(await found('last<0')).toEqual([])
    const { at } = (await dataOf(api, 'query ($id: ID!) { decision(id: $id) { at } }', { id: decision.id })).decision
    const later = new Date(Date.parse(at) + 1).toISOString()
    expect(await found(`at>=${at} at<${later} flavor:m1.*`)).toEqual(['odd'])
    for (const query of [`at>${at} flavor:m1.*`, `at<${at} flavor:m1.*`, `-at<=${at} flavor:m1.*`]) expect(await found(query)).toEqual([])
    expect(await found(`at<=${at} flavor:m1.*`)).toEqual(['odd'])
    expect(await found('at>=0001-01-01 last:99999999999999d outcome:NO_VALID_HOST')).toEqual(['huge'])
  })
})

async function placed() {
  const { destinations } = await placeWith(api, {})
  const { claim } = destinations[0].selected
  return { claim: { id: claim.id, fence: claim.fence } }
}
