import { byField, type HostOrderField, hostOrderFields, reportedFields } from '@gantt/scheduler-core/query'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dataOf, type Json, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

const LIST = `query ($n: Int, $a: String, $o: [HostOrder!]) { hosts(first: $n, after: $a, orderBy: $o) {
  totalCount
  nodes {
    name node availabilityZone state status runningVms lastReportAt told { field value } gpus { freeMilli }
    capacity { resourceClass capacity used claimed free } claims(first: 1, states: [RESERVED]) { totalCount }
  }
  pageInfo { hasNextPage endCursor } } }`
const GPUS = [{ index: 0 }, { index: 1 }]
const QEMU = { hypervisorType: 'QEMU', cpuInfo: { arch: 'x86_64', vendor: 'Intel', model: 'Icelake' } }

let api: TestService
const ask = (variables: Record<string, unknown>) => dataOf(api, LIST, variables)

beforeAll(async () => {
  api = await startTestService()
  await api.report({ 'b-2': { memoryMbUsed: 30_000 }, 'a-10': { vcpus: 8, gpus: GPUS, traits: ['HW_GPU'] }, c: { memoryMbUsed: 30_000 } })
  await api.report({
    'a-9': { vcpus: 8, gpus: GPUS.slice(0, 1), memoryMb: 131_072, ...QEMU, hypervisorVersion: 10_000_000 },
    é: { hypervisorType: 'ESXi', hypervisorVersion: 0, cpuInfo: { arch: 'aarch64', vendor: 'ARM', model: 'Neoverse' } },
    'a-1': { memoryMb: 30_000, localGbUsed: 1_000, ...QEMU, hypervisorVersion: 8_002_000 },
  })
  const CLOSE = `mutation { hostSetStatus(hosts: [{ host: "c" }, { host: "a-9" }], status: DRAINING, reason: "to be emptied") { __typename } }`
  await dataOf(api, CLOSE)
  const ZONE = `mutation { aggregateCreate(input: { name: "z", availabilityZone: "az-a", hosts: ["c", "a-10", "b-2"] }) { __typename } }`
  await dataOf(api, ZONE)
  for (const host of ['b-2', 'b-2', 'a-10']) await placeWith(api, {}, { forceHosts: [host] })
})
afterAll(() => api.close())

/** For each order with a value that the API returns: reads the value by which hosts are sorted from a host in an answer. */
const shownValues: Readonly<Partial<Record<HostOrderField, (node: Json, resourceClass?: string) => string | number>>> = {
  NAME: ({ name }) => name,
  AVAILABILITY_ZONE: ({ availabilityZone }) => availabilityZone,
  STATE: ({ state }) => state,
  STATUS: ({ status }) => status,
  CAPACITY: ({ capacity }, wanted) => classOf(capacity, wanted).capacity,
  FREE: ({ capacity }, wanted) => classOf(capacity, wanted).free,
  USED_PERCENT: ({ capacity }, wanted) => {
    const { capacity: all, free } = classOf(capacity, wanted)
    return (all - free) / all
  },
  GPU_COUNT: ({ gpus }) => gpus.length,
  GPU_FREE: ({ gpus }) => gpus.reduce((sum: number, { freeMilli }: Json) => sum + freeMilli, 0),
  CLAIM_COUNT: ({ claims }) => claims.totalCount,
  INSTANCE_COUNT: ({ runningVms }) => runningVms,
  LAST_REPORT: ({ lastReportAt }) => lastReportAt,
  // hosts that do not report the value come first
  ...byField(reportedFields, 'column', ({ name, kind }) => ({ told: reported }: Json) => {
    const found = reported.find(({ field }: Json) => field === name)?.value
    return kind === 'number' ? Number(found ?? -1) : (found ?? '')
  }),
}
const classOf = (capacity: Json[], wanted?: string): Json => capacity.find(({ resourceClass }) => resourceClass === wanted)

type Order = { readonly field: HostOrderField; readonly direction?: string; readonly resourceClass?: string }

/** The names of all hosts in an order, read in pages of `n` hosts. */
async function namesBy(o: readonly Order[], n: number): Promise<string[]> {
  const found: string[] = []
  let a: string | null = null
  do {
    const { nodes, pageInfo }: Json = (await ask({ n, a, o })).hosts
    found.push(...nodes.map(({ name }: Json) => name))
    a = pageInfo.hasNextPage ? pageInfo.endCursor : null
  } while (a !== null)
  return found
}

describe('the order of hosts', () => {
  const classes = { CAPACITY: 'VCPU', FREE: 'MEMORY_MB', USED_PERCENT: 'DISK_GB' } as const
  const single = hostOrderFields
    .filter((field) => field in shownValues)
    .map((field): Order => ({ field, ...(field in classes && { resourceClass: classes[field as never] }) }))
  const several: Order[][] = [
    [{ field: 'AVAILABILITY_ZONE' }, { field: 'FREE', resourceClass: 'MEMORY_MB', direction: 'DESC' }],
    [
      { field: 'STATUS', direction: 'DESC' },
      { field: 'CAPACITY', resourceClass: 'VCPU' },
      { field: 'NAME', direction: 'DESC' },
    ],
    [{ field: 'GPU_COUNT', direction: 'DESC' }, { field: 'CLAIM_COUNT' }, { field: 'USED_PERCENT', resourceClass: 'MEMORY_MB' }],
  ]
  const both = single.flatMap((order) => [[order], [{ ...order, direction: 'DESC' }]])

  test.each([...both, ...several].map((o) => [JSON.stringify(o), o] as const))(
    'hosts in the order %s have their values in this order, page by page',
    async (_text, o) => {
      const { nodes, totalCount } = (await ask({ n: 100 })).hosts
      expect(totalCount).toBe(6)
      const compare = (a: Json, b: Json): number => {
        for (const { field, direction, resourceClass } of [...o, { field: 'NAME' } as Order]) {
          const [x = '', y = ''] = [shownValues[field]?.(a, resourceClass), shownValues[field]?.(b, resourceClass)]
          if (x !== y) return (x < y ? -1 : 1) * (direction === 'DESC' ? -1 : 1)
        }
        return 0
      }
      const wanted = nodes.toSorted(compare).map(({ name }: Json) => name)
      for (const n of [1, 2, 4, 6]) expect(await namesBy(o, n), `pages of ${n}`).toEqual(wanted)
    },
  )

  test('for each order there are hosts with different values, so that the tests of the order can fail', async () => {
    const { nodes } = (await ask({ n: 100 })).hosts
    const valuesOf = ({ field, resourceClass }: Order) => [...new Set(nodes.map((node: Json) => shownValues[field]?.(node, resourceClass)))]
    // an order is not checked if no host reports the value by which it sorts
    const isGiven = (order: Order) => valuesOf(order).some((value) => value !== '' && value !== -1)
    // STATE is the only order in which all hosts have the same value, because all hosts are UP
    expect(single.filter((order) => isGiven(order) && valuesOf(order).length === 1)).toEqual([{ field: 'STATE' }])
  })

  test('without an order, hosts are listed as they first reported', async () => {
    expect(await namesBy([], 4)).toEqual(['b-2', 'a-10', 'c', 'a-9', 'é', 'a-1'])
  })

  test.each<[string, unknown, string, string]>([
    ['a class that is missing', [{ field: 'FREE' }], 'orderBy.0.resourceClass', 'be a class that hosts report: DISK_GB, MEMORY_MB'],
    ['a class that no host reports', [{ field: 'NAME' }, { field: 'FREE', resourceClass: 'VCPUS' }], 'orderBy.1.resourceClass', '"VCPUS"'],
    [
      'a class for an order that takes none',
      [{ field: 'NAME', resourceClass: 'VCPU' }],
      'orderBy.0.resourceClass',
      'be left out with NAME',
    ],
    ['nine orders', Array(9).fill({ field: 'NAME' }), 'orderBy', 'at most 8 orders'],
  ])('%s is refused', async (_name, o, path, message) => {
    const { errors } = await api.ask(LIST, { n: 1, o })
    const [fault] = errors as Json[]
    expect(fault.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(fault.extensions.issues.map((one: Json) => one.path.join('.'))).toEqual([path])
    expect(fault.message).toContain(message)
  })

  test('a cursor is refused with another order', async () => {
    const o = [{ field: 'FREE', resourceClass: 'VCPU' }]
    const { pageInfo } = (await ask({ n: 1, o })).hosts
    const other = await api.ask(LIST, { n: 1, o: [{ field: 'FREE', resourceClass: 'MEMORY_MB' }], a: pageInfo.endCursor })
    expect(other.errors[0]?.message).toContain('a cursor of this list, with the same filter and order')
  })
})
