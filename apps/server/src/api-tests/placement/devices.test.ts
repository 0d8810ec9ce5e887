import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
})
afterAll(() => api.close())

const REPORT = `mutation ($u: [ResourceStatsInput!]!) { updateResourceStats(input: { updates: $u }) { results { __typename
  ... on ValidationError { message issues { path rule message } } } } }`
const PLACE = `mutation ($i: SelectDestinationsInput!) { selectDestinations(input: $i) { __typename
  ... on NoValidHost { message }
  ... on ValidationError { issues { path message } }
  ... on SelectDestinationsPayload { destinations { selected { host { name } claim {
    cells { guest cell cpus pinned siblings emulatorCpu memoryMb pageSizeKib } pciDevices { request pool count } } } } } } }`

/** A host with two NUMA cells of four cores each, and with a device near the second cell. */
const host = {
  vcpus: 16,
  vcpusUsed: 0,
  memoryMb: 65_536,
  memoryMbUsed: 0,
  localGb: 1_024,
  localGbUsed: 0,
  numaCells: [0, 1].map((id) => ({
    id,
    cpuset: Array.from({ length: 8 }, (_, cpu) => id * 8 + cpu),
    siblings: [0, 2, 4, 6].map((cpu) => [id * 8 + cpu, id * 8 + cpu + 1]),
    memoryMb: 32_768,
    pages: [
      { sizeKib: 4, total: 4_194_304 },
      { sizeKib: 2_048, total: 4_096 },
    ],
  })),
  pciPools: [{ vendorId: '15b3', productId: '1018', numaNode: 1, deviceType: 'type-VF', total: 1 }],
}

const spec = {
  flavor: { vcpus: 3, memoryMb: 4_096 },
  numaTopology: {
    emulatorThreadsPolicy: 'isolate',
    cells: [
      { id: 0, cpus: [0, 1, 2], memoryMb: 4_096, cpuPolicy: 'mixed', dedicatedCpus: [1, 2], cpuThreadPolicy: 'isolate', pageSize: 'large' },
    ],
  },
  pciRequests: [{ alias: 'nic', count: 1, specs: [{ properties: [{ key: 'vendor_id', value: '15b3' }] }], numaPolicy: 'required' }],
}

const place = async (key: string): Promise<Json> =>
  (await dataOf(api, PLACE, { i: { spec: { gantt: spec }, idempotencyKey: key, claim: { mode: 'CONFIRM' } } })).selectDestinations

test('a guest gets its device, a cell near the device, dedicated cores, pages, and a CPU for the emulator; the next guest is refused', async () => {
  const update = { name: { host: 'h1' }, reporter: { incarnation: randomUUID(), sequence: 1 }, report: { full: host } }
  const [reported] = (await dataOf(api, REPORT, { u: [update] })).updateResourceStats.results
  expect(reported).not.toHaveProperty('issues')
  const placed = await place('first')
  expect(placed).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  expect(placed.destinations[0].selected).toEqual({
    host: { name: 'h1' },
    claim: {
      cells: [{ guest: 0, cell: 1, cpus: 1, pinned: [8, 10], siblings: [9, 11], emulatorCpu: 12, memoryMb: 4_096, pageSizeKib: 2_048 }],
      pciDevices: [{ request: 0, pool: '15b3:1018:type-VF@1', count: 1 }],
    },
  })
  const refused = await place('second')
  expect(refused.__typename).toBe('NoValidHost')
})

test('the cells of a host list their CPUs, and their pages as used, reserved and free', async () => {
  const [cell] = host.numaCells
  const cells = [
    { ...cell, cpuset: [0, 1, 2], dedicatedCpuset: [2, 3], siblings: [], cpuUsage: 1, pinnedCpus: [3], pages: [] },
    {
      id: 1,
      cpuset: [8],
      memoryMb: 8,
      pages: [
        { sizeKib: 2_048, total: 100, reserved: 10, used: 30 },
        { sizeKib: 4, total: 7 },
      ],
    },
  ]
  const update = {
    name: { host: 'h3' },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { full: { ...host, numaCells: cells, pciPools: [] } },
  }
  await dataOf(api, REPORT, { u: [update] })
  const shown = await dataOf(
    api,
    '{ host(name: "h3") { numa { cells { id cpus dedicated pinned cpusUsed pages { sizeKib total reserved used free } } } } }',
    {},
  )
  expect(shown.host.numa.cells).toEqual([
    { id: 0, cpus: [0, 1, 2], dedicated: [2, 3], pinned: [3], cpusUsed: 1, pages: [] },
    {
      ...{ id: 1, cpus: [8], dedicated: null, pinned: [], cpusUsed: 0 },
      pages: [
        { sizeKib: 4, total: 7, reserved: 0, used: 0, free: 7 },
        { sizeKib: 2_048, total: 100, reserved: 10, used: 30, free: 60 },
      ],
    },
  ])
})

const POOLS = `query ($at: Moment) { fleet { asOf } host(name: "h2", at: $at) { pciPools { key vendorId productId deviceType numaNode tags { key value }
  total used free holders { count claim { id state } } } } }`

test('the PCI devices of a host are listed by kind with used, claimed and free counts, now and at a past moment', async () => {
  const nic = { vendorId: '15b3', productId: '1018', deviceType: 'type-VF' }
  const pools = [
    { ...nic, numaNode: 1, total: 2, tags: [{ key: 'physical_network', value: 'a' }] },
    // this entry and the preceding entry have equal devices, so the two entries become one pool of five devices
    { ...nic, numaNode: 1, total: 3, tags: [{ key: 'physical_network', value: 'a' }] },
    { vendorId: '10de', productId: '20b0', numaNode: 0, total: 4, used: 1 },
  ]
  const update = {
    name: { host: 'h2' },
    reporter: { incarnation: randomUUID(), sequence: 1 },
    report: { full: { ...host, pciPools: pools } },
  }
  await dataOf(api, REPORT, { u: [update] })
  const before = (await dataOf(api, POOLS)).fleet.asOf
  const placed = await place('third')
  const { claim } = placed.destinations[0].selected
  expect(claim.pciDevices).toEqual([{ request: 0, pool: '15b3:1018:type-VF@1?physical_network=a', count: 1 }])
  const vf = {
    ...{ ...nic, key: '15b3:1018:type-VF@1?physical_network=a', numaNode: 1, tags: [{ key: 'physical_network', value: 'a' }], total: 5 },
    ...{ used: null, free: 4, holders: [{ count: 1, claim: { id: expect.any(String), state: 'CONFIRMED' } }] },
  }
  const gpu = {
    ...{ key: '10de:20b0@0', vendorId: '10de', productId: '20b0', deviceType: null, numaNode: 0, tags: [], total: 4, used: 1, free: 3 },
    holders: [],
  }
  expect((await dataOf(api, POOLS)).host.pciPools).toEqual([vf, gpu])
  expect((await dataOf(api, POOLS, { at: before })).host.pciPools).toEqual([{ ...vf, free: 5, holders: [] }, gpu])
})
