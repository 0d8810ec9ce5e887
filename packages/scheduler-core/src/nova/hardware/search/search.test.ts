import fc from 'fast-check'
import { expect, test } from 'vitest'
import { networksShort } from '../networks.ts'
import { type PciPool, type PciRequest, supportPciRequests } from '../pci.ts'
import { aGuest, aGuestCell, aHost, aHostCell, numbers } from '../testing.ts'
import type { GuestCell, GuestTopology, HostCell, HostTopology, NumaLimits } from '../topology.ts'
import { fitCell } from './fit-cell.ts'
import { type FitOptions, fitGuest } from './fit-guest.ts'
import { orderCells } from './order-cells.ts'
import { pairTable } from './pair-table.ts'
import type { SearchInput } from './search.ts'
import { NOVA_STEPS, nextOrder, searchAsNova } from './search-as-nova.ts'
import { emulatorCpusAt } from './search-basis.ts'
import { searchEachPair } from './search-each-pair.ts'

const limits: NumaLimits = { cpuAllocationRatio: 1, ramAllocationRatio: 1 }
const far = Number.POSITIVE_INFINITY

/** All orders of `count` of the items, in the order of Python's `itertools.permutations`. */
function* ordersOf<Item>(items: readonly Item[], count: number): Generator<readonly Item[]> {
  if (count === 0) yield []
  else for (const [i, item] of items.entries()) for (const rest of ordersOf(items.toSpliced(i, 1), count - 1)) yield [item, ...rest]
}

/** The expected result of the search `pairs`, found by trying every order. */
function eachPairOfAll(input: SearchInput): readonly GuestCell[] | undefined {
  for (const order of ordersOf(input.hosts, input.guests.length)) {
    const fits = order.map((host, i) => fitCell(host, input.guests[i] as GuestCell, input.limits, emulatorCpusAt(input, i)))
    if (fits.every((fit) => fit.why === undefined) && input.objection(order.map((host) => input.hosts.indexOf(host))) === undefined)
      return fits.map((fit) => fit.cell)
  }
  return undefined
}

/** The expected result of the search `nova`: Nova's algorithm without shortcuts, including its cache and its changes of guest cells. */
function novaOfAll(input: SearchInput): readonly GuestCell[] | undefined {
  const [fitted, refused] = [new Set<string>(), new Set<string>()]
  const guests = [...input.guests]
  for (const order of ordersOf(input.hosts, guests.length)) {
    const placed = order.every((host, i) => {
      const guest = guests[i] as GuestCell
      const pair = `${host.id} ${guest.id}`
      if (refused.has(pair)) return false
      const fit = fitted.has(pair)
        ? { cell: { ...guest, id: host.id }, why: undefined }
        : fitCell(host, guest, input.limits, emulatorCpusAt(input, i))
      guests[i] = fit.cell
      ;(fit.why === undefined ? fitted : refused).add(pair)
      return fit.why === undefined
    })
    if (placed && input.objection(order.map((host) => input.hosts.indexOf(host))) === undefined) return guests
  }
  return undefined
}

const hostCell = (id: number): fc.Arbitrary<HostCell> =>
  fc
    .record({
      used: fc.constantFrom(0, 2048, 3800),
      pins: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7]),
      cpuUsage: fc.nat(8),
      large: fc.constantFrom(0, 1024, 2048),
      socket: fc.nat(1),
      physnet: fc.constantFrom('a', 'b', 'none'),
    })
    .map(({ used, pins, cpuUsage, large, socket, physnet }) =>
      aHostCell(id, {
        memoryUsage: used,
        pinnedCpus: pins.map((cpu) => id * 8 + cpu),
        cpuUsage,
        mempages: [{ sizeKib: 4, total: 1_048_576, used: 0, reserved: 0 }].concat(
          large > 0 ? [{ sizeKib: large, total: 1024, used: 0, reserved: 0 }] : [],
        ),
        socket,
        networkMetadata: { physnets: [physnet], tunneled: physnet === 'b' },
      }),
    )

const guestCell = (id: number): fc.Arbitrary<GuestCell> =>
  fc
    .record({
      cpus: fc.integer({ min: 1, max: 8 }),
      memory: fc.constantFrom(64, 512, 1024, 3000),
      pagesize: fc.constantFrom(null, null, -1, -2, -3, 2048),
      cpuPolicy: fc.constantFrom(null, 'shared' as const, 'dedicated' as const, 'mixed' as const),
      cpuThreadPolicy: fc.constantFrom(null, 'prefer' as const, 'require' as const, 'isolate' as const),
    })
    .map(({ cpus, cpuPolicy, ...rest }) => {
      const pinned = cpuPolicy === 'dedicated' ? cpus : cpuPolicy === 'mixed' ? Math.max(1, cpus - 1) : 0
      return aGuestCell(id, { ...rest, cpuPolicy, pcpuset: numbers(pinned, 100), cpuset: numbers(cpus - Math.min(cpus, pinned)) })
    })

const pool = (cells: number): fc.Arbitrary<PciPool> =>
  fc
    .record({ cell: fc.option(fc.nat(cells - 1)), count: fc.integer({ min: 1, max: 3 }) })
    .map(({ cell, count }) => ({ keys: { v: 'x', numa_node: cell }, count }))

const request: fc.Arbitrary<PciRequest> = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  spec: fc.constant([{ v: 'x' }]),
  numaPolicy: fc.constantFrom(null, 'required' as const, 'legacy' as const, 'preferred' as const, 'socket' as const),
})

interface Story {
  readonly host: HostTopology
  readonly guest: GuestTopology
  readonly options: FitOptions
}

const story: fc.Arbitrary<Story> = fc
  .record({ cells: fc.integer({ min: 1, max: 5 }), guests: fc.integer({ min: 1, max: 4 }), alike: fc.boolean() })
  .chain(({ cells, guests, alike }) =>
    fc.record({
      host: fc
        .tuple(...numbers(cells).map(hostCell))
        .chain((all) => fc.shuffledSubarray(all, { minLength: cells }).map((some) => aHost(...some))),
      guest: fc.record({
        cells: fc
          .tuple(...numbers(Math.min(guests, cells)).map(guestCell))
          .map((all) => (alike ? all.map((cell, id) => ({ ...(all[0] ?? cell), id })) : all)),
        emulatorThreadsPolicy: fc.constantFrom(null, 'share' as const, 'isolate' as const),
      }),
      options: fc.record({
        limits: fc.option(
          fc.record({
            cpuAllocationRatio: fc.constantFrom(1, 2),
            ramAllocationRatio: fc.constantFrom(0.5, 1, 1.5),
            networkMetadata: fc.option(fc.record({ physnets: fc.subarray(['a', 'b', 'elsewhere']), tunneled: fc.boolean() }), {
              nil: undefined,
            }),
          }),
        ),
        pci: fc.record({ pools: fc.array(pool(cells), { maxLength: 4 }), requests: fc.array(request, { maxLength: 2 }) }),
        packing: fc.boolean(),
      }),
    }),
  )

/** Builds the input of a search without the code of `fitGuest`, so that the tests also check how `fitGuest` builds it. */
function inputOf({ host, guest, options: { limits, pci, packing = false } }: Story): SearchInput {
  const sockets = new Map(host.cells.map((cell) => [cell.id, cell.socket]))
  const requests = pci?.requests ?? []
  const hosts = orderCells(host, guest, { packing, pools: pci?.pools, wantsDevices: requests.length > 0 })
  const objection = (chosen: readonly number[]) => {
    const cells = chosen.map((i) => hosts[i] as HostCell)
    const short = supportPciRequests(pci?.pools ?? [], requests, { cells: cells.map((cell) => cell.id), sockets })
    return short ?? networksShort(host, cells, limits?.networkMetadata)
  }
  const basis = { hosts, guests: guest.cells, emulatorThreadsPolicy: guest.emulatorThreadsPolicy, limits }
  return {
    ...basis,
    pairs: pairTable(basis),
    demands: [],
    suits: (chosen) => objection(chosen) === undefined,
    objection,
    traitOf: (cell) => String(cell.id),
  }
}

test('the search `pairs` gives the same result as trying all orders', () => {
  fc.assert(
    fc.property(story, (one) => {
      const result = fitGuest(one.host, one.guest, { ...one.options, search: 'pairs' })
      expect(result.ok ? result.guest.cells : undefined).toEqual(eachPairOfAll(inputOf(one)))
    }),
    { numRuns: 500, seed: 5 },
  )
})

test("the search `nova` gives the same results as Nova's algorithm without shortcuts, including its wrong results", () => {
  let wrong = 0
  fc.assert(
    fc.property(story, (one) => {
      const input = inputOf(one)
      const result = searchAsNova(input, far)
      const all = novaOfAll(input)
      expect(result.steps).toBeLessThan(NOVA_STEPS)
      expect(result.end === 'found' ? result.cells : undefined).toEqual(all)
      wrong += Number((all === undefined) !== (eachPairOfAll(input) === undefined))
    }),
    { numRuns: 500, seed: 6 },
  )
  expect(wrong).toBeGreaterThan(0)
})

test('every refusal has the needed and the available amount, and in every fit of the search `pairs` the host cells are different', () => {
  fc.assert(
    fc.property(story, fc.constantFrom('nova' as const, 'pairs' as const), (one, search) => {
      const result = fitGuest(one.host, one.guest, { ...one.options, search })
      if (!result.ok) expect(result.why()).toMatchObject({ need: expect.anything(), have: expect.anything() })
      else if (search === 'pairs') expect(new Set(result.guest.cells.map((cell) => cell.id)).size).toBe(one.guest.cells.length)
    }),
    { numRuns: 300, seed: 7 },
  )
})

test('nextOrder gives orders in the order of Python, and can skip all orders with the same beginning', () => {
  const order = [0, 1, 2]
  const seen = [order.join('')]
  while (nextOrder(order, 2, 4) >= 0) seen.push(order.join(''))
  expect(seen).toEqual([...ordersOf([0, 1, 2, 3], 3)].map((one) => one.join('')))
  const jumped = [0, 1, 2]
  expect([nextOrder(jumped, 1, 4), jumped]).toEqual([1, [0, 2, 1]])
  expect([nextOrder(jumped, 0, 4), jumped]).toEqual([0, [1, 0, 2]])
})

/** Builders for guests and hosts on which an unlimited search would try every order. The tests count steps, not time. */
const guestOf = (cells: number, more: (id: number) => Partial<GuestCell>) => aGuest(numbers(cells).map((id) => aGuestCell(id, more(id))))
const hostOf = (cells: number, more: (id: number) => Partial<HostCell> = () => ({})) =>
  aHost(...numbers(cells).map((id) => aHostCell(id, more(id))))
const devices = (count: number, cell: number): FitOptions['pci'] & object => ({
  pools: [{ keys: { v: 'x', numa_node: cell }, count }],
  requests: [{ count: count + 1, spec: [{ v: 'x' }], numaPolicy: 'preferred' }],
})

test('Nova accepts a pair that it never tried, because its cache identifies cells by ids, and the ids of guest cells change', () => {
  const host = hostOf(3)
  const guest = guestOf(3, (id) => ({ memory: id === 2 ? 9999 : 512 + id }))
  expect(fitGuest(host, guest, { limits, search: 'nova' }).ok).toBe(true)
  const result = fitGuest(host, guest, { limits, search: 'pairs' })
  expect(!result.ok && result.why()).toMatchObject({ code: 'numa.memory', guestCell: 2, need: 9999, have: 4096 })
})

test('Nova misses a fit because its cache is wrong, and the refusal has the code numa.missed', () => {
  const host = hostOf(4, (id) => ({
    memory: id === 0 ? 8192 : 4096,
    networkMetadata: { physnets: id === 2 ? ['p'] : [], tunneled: false },
  }))
  const guest = guestOf(2, (id) => ({ memory: id === 1 ? 8000 : 512 }))
  const options = { limits: { ...limits, networkMetadata: { physnets: ['p'], tunneled: false } } }
  const pairs = fitGuest(host, guest, { ...options, search: 'pairs' })
  expect(pairs.ok && pairs.guest.cells.map((cell) => cell.id)).toEqual([2, 0])
  const nova = fitGuest(host, guest, { ...options, search: 'nova' })
  expect(!nova.ok && nova.why().code).toBe('numa.missed')
})

const hostile: readonly (readonly [string, number, (size: number) => Story])[] = [
  [
    'all cells are alike, and the host has one too few',
    8,
    (n) => ({ host: hostOf(n, (id) => ({ cpuUsage: id === 0 ? 8 : 0 })), guest: guestOf(n, () => ({})), options: { limits } }),
  ],
  [
    'the last guest cell fits on no host cell',
    8,
    (n) => ({ host: hostOf(n), guest: guestOf(n, (id) => ({ memory: id === n - 1 ? 9999 : 512 + id })), options: { limits } }),
  ],
  [
    'the last two guest cells fit only on the same cell',
    8,
    (n) => ({
      host: hostOf(n, (id) => ({ memory: id === 0 ? 8192 : 4096 })),
      guest: guestOf(n, (id) => ({ memory: id >= n - 2 ? 8000 - id : 512 + id })),
      options: { limits },
    }),
  ],
  [
    'each guest cell fits on one host cell fewer than the one before it, and the last on none',
    8,
    (n) => ({
      host: hostOf(n, (id) => ({ memory: 1000 + 10 * id })),
      guest: guestOf(n, (id) => ({ memory: 1010 + 10 * id })),
      options: { limits },
    }),
  ],
  [
    'devices that are missing in every choice of cells',
    8,
    (n) => ({
      host: hostOf(n),
      guest: guestOf(n, (id) => ({ memory: 512 + id })),
      options: { limits, pci: devices(1, 0) },
    }),
  ],
  [
    'half as many guest cells as host cells, and devices near the host cells that never suffice',
    16,
    (n) => ({
      host: hostOf(n),
      guest: guestOf(n / 2, (id) => ({ memory: 512 + id })),
      options: {
        limits,
        pci: {
          pools: numbers(n).map((cell) => ({ keys: { v: 'x', numa_node: cell }, count: 1 })),
          requests: [{ count: n / 2 + 1, spec: [{ v: 'x' }], numaPolicy: 'required' }],
        },
      },
    }),
  ],
  [
    'all cells are alike, and the networks are spread over too many of them',
    8,
    (n) => ({
      host: hostOf(n, (id) => ({ networkMetadata: { physnets: [`p${id}`], tunneled: false } })),
      guest: guestOf(n / 2, () => ({})),
      options: { limits: { ...limits, networkMetadata: { physnets: numbers(n).map((id) => `p${id}`), tunneled: false } } },
    }),
  ],
]

test.each(hostile.flatMap(([name, from, make]) => [from, 16, 32, 64].map((size) => [name, size, make] as const)))(
  '%s: for %i cells the number of search steps is bounded',
  (_name, size, make) => {
    const { host, guest, options } = make(size)
    for (const search of ['nova', 'pairs'] as const) {
      const result = fitGuest(host, guest, { ...options, search })
      if (search === 'pairs') expect(result.ok).toBe(false)
      expect(result.steps).toBeLessThan(60_000)
    }
  },
)

test('a fit of 64 guest cells on 64 host cells is found within the limit of steps', () => {
  const host = hostOf(64, (id) => ({ memory: 1000 + 10 * id }))
  const guest = guestOf(64, (id) => ({ memory: 1000 + 10 * id }))
  const result = fitGuest(host, guest, { limits, search: 'pairs' })
  expect(result.ok && result.guest.cells.map((cell) => cell.id)).toEqual(numbers(64))
  expect(searchEachPair(inputOf({ host, guest, options: { limits } })).steps).toBeLessThan(20_000)
})
