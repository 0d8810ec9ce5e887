import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataOf, type Json, startTestService, type TestService } from '../testing/test-service.ts'

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

/** A host of two cells of four cores, with a device at the second. */
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

test('a guest gets its device, a cell beside it, cores of its own, pages, and a CPU for the emulator; the next one is told why not', async () => {
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
