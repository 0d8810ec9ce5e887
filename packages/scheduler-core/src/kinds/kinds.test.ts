import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { at } from '../hosts/columns.ts'
import type { GpuAsk } from '../hosts/gpu-device.ts'
import type { CellGrant } from '../records/grants.ts'
import type { NumaCellRequest } from '../request/request-spec.ts'
import { aFleet, type HostShape } from '../testing/index.ts'
import type { HostIndex } from '../values/host-index.ts'
import { classesKind } from './classes/classes.ts'
import { gpuKind } from './gpu/gpu.ts'
import { kindSuite } from './kind.suite.ts'
import { cellsOf, type NumaAsk } from './numa/ask.ts'
import { type CellState, numaKind } from './numa/numa.ts'
import { cpusOf } from './numa/pin.ts'

const H1 = 0 as HostIndex

const inventory = (counts: boolean) =>
  fc.record({
    total: fc.integer({ min: 0, max: 40 }),
    reserved: fc.constantFrom(0, 0, 1, 5),
    allocationRatio: fc.constantFrom(1, 1, 1.5, 0.333, 4),
    minUnit: fc.constantFrom(1, 1, 2),
    maxUnit: fc.constantFrom(null, null, 4),
    stepSize: fc.constantFrom(1, 1, 2, 3),
    used: counts ? fc.integer({ min: 0, max: 5 }) : fc.constant(null),
  })
const classHosts = (counts: boolean): fc.Arbitrary<HostShape> =>
  fc.tuple(inventory(counts), inventory(counts), fc.integer({ min: 0, max: 16 })).map(([a, b, vcpus]) => ({
    vcpus,
    inventories: [a, b].flatMap(({ reserved, ...given }, i) =>
      reserved > given.total ? [] : [{ ...given, reserved, resourceClass: `CUSTOM_${i}` }],
    ),
  }))
const CLASSES = ['VCPU', 'CUSTOM_0', 'CUSTOM_1', 'CUSTOM_2']

kindSuite({
  kind: classesKind,
  hosts: classHosts(false),
  counting: classHosts(true),
  asks: fc.uniqueArray(
    fc.record({ resourceClass: fc.constantFrom(...CLASSES, ...CLASSES.slice(0, 3)), amount: fc.integer({ min: 1, max: 6 }) }),
    { minLength: 1, maxLength: 3, selector: ({ resourceClass }) => resourceClass },
  ),
  state: ({ hosts }, host) =>
    CLASSES.map((name) => [hosts.classes.get(name)?.claimed[host] ?? 0, hosts.classes.get(name)?.free[host] ?? 0]),
  leastLeft: ({ hosts }, host) => Math.min(...CLASSES.map((name) => hosts.classes.get(name)?.free[host] ?? 0)),
})

const numaHosts = (counts: boolean): fc.Arbitrary<HostShape> =>
  fc
    .tuple(
      fc.array(
        fc.record({
          size: fc.integer({ min: 1, max: 6 }),
          memoryMb: fc.integer({ min: 1, max: 12 }),
          pinned: fc.integer({ min: 0, max: 2 }),
          shared: fc.integer({ min: 0, max: 2 }),
          threads: fc.constantFrom(1, 2, 2, 3),
          pages: fc.option(fc.nat({ max: 6 }), { nil: null }),
          dedicated: fc.constantFrom(null, null, 0, 2, 4, 'apart' as const),
        }),
        { maxLength: 4 },
      ),
      fc.constantFrom(1, 1, 1.5, 2, 0.5),
      fc.constantFrom(1, 1, 1.25),
    )
    .map(([cells, cpuAllocationRatio, ramAllocationRatio]) => ({
      cpuAllocationRatio,
      ramAllocationRatio,
      numaCells: cells.map(({ size, memoryMb, pinned, shared, threads, pages, dedicated }, id) => {
        const cpuset = Array.from({ length: size }, (_, cpu) => id * 8 + cpu)
        const used = counts ? 1 : null
        return {
          id,
          cpuset,
          memoryMb,
          siblings:
            threads === 1
              ? []
              : Array.from({ length: Math.ceil(size / threads) }, (_, core) => cpuset.slice(core * threads, (core + 1) * threads)),
          pages:
            pages === null
              ? []
              : [
                  { sizeKib: 4, total: 4 * 256, used, reserved: 1 },
                  { sizeKib: 2_048, total: pages, used: counts ? 0 : null },
                ],
          dedicatedCpuset: dedicated === null ? null : dedicated === 'apart' ? [id * 8 + 6, id * 8 + 7] : cpuset.slice(0, dedicated),
          ...(counts ? { cpuUsage: shared, memoryUsageMb: 0, pinnedCpus: cpuset.slice(0, pinned) } : {}),
        }
      }),
    }))
const guestCell = (shape: Partial<NumaCellRequest>): NumaCellRequest => ({
  id: 0,
  cpus: [0],
  memoryMb: 1,
  cpuPolicy: 'shared',
  dedicatedCpus: [],
  cpuThreadPolicy: null,
  pageSize: null,
  ...shape,
})
const guestCells = (max: number): fc.Arbitrary<NumaCellRequest[]> =>
  fc
    .array(
      fc.record({
        cpus: fc.integer({ min: 1, max: 4 }).map((count) => Array.from({ length: count }, (_, cpu) => cpu)),
        memoryMb: fc.integer({ min: 1, max: 8 }),
        cpuPolicy: fc.constantFrom('shared' as const, 'shared' as const, 'dedicated' as const, 'dedicated' as const, 'mixed' as const),
        cpuThreadPolicy: fc.constantFrom(null, null, 'prefer' as const, 'require' as const, 'isolate' as const),
        pageSize: fc.constantFrom(null, null, 'small' as const, 'large' as const, 'any' as const, 4, 2_048),
      }),
      { minLength: 1, maxLength: max },
    )
    .map((cells) =>
      cells.map((guest, id) => guestCell({ ...guest, id, dedicatedCpus: guest.cpuPolicy === 'mixed' ? guest.cpus.slice(0, 2) : [] })),
    )
const asking = (cells: readonly NumaCellRequest[], isolatesEmulator = false): NumaAsk => ({
  ...cellsOf(cells, isolatesEmulator),
  nearness: undefined,
})

/**
 * The smallest free amount of a host cell: memory, pages, or shared CPUs on CPUs that are not pinned. Far below 0 if two claims, or a claim
 * and the report, pin the same CPU.
 */
function leftOf(cell: CellState): number {
  const size = cell.cpuset.length
  const pins = new Set([...cell.pinnedByReport, ...cell.pinnedByClaims.keys()])
  const pinned = cell.dedicated === undefined ? pins.size : cell.cpuset.filter((cpu) => pins.has(cpu)).length
  const shared = cell.cpuCapacity - cell.cpuFree
  const overlapping = [...cell.pinnedByClaims].some(([cpu, holders]) => holders > 1 || cell.pinnedByReport.has(cpu)) ? -1_000 : 0
  return Math.min(
    ...(cell.pages ?? []).map(({ free }) => free),
    cell.memoryFree,
    Math.floor(((size - pinned) * cell.cpuCapacity) / size) - shared,
    overlapping,
  )
}

kindSuite({
  kind: numaKind,
  hosts: fc.boolean().chain(numaHosts),
  counting: numaHosts(true),
  asks: fc.tuple(guestCells(3), fc.boolean()).map(([cells, isolatesEmulator]) => asking(cells, isolatesEmulator)),
  state: ({ hosts }, host) =>
    hosts
      .get(host)
      .cells.map(({ cpuFree, memoryFree, pinnedByClaims, pages }) => [
        cpuFree,
        memoryFree,
        [...pinnedByClaims].sort(),
        structuredClone(pages),
      ]),
  leastLeft: ({ hosts }, host) => Math.min(0, ...hosts.get(host).cells.map(leftOf)),
})

const gpuHosts = (counts: boolean): fc.Arbitrary<HostShape> =>
  fc
    .array(
      fc.record({
        model: fc.constantFrom(null, 'A', 'B'),
        usedMilli: counts ? fc.constantFrom(0, 250, 1_000) : fc.constant(null),
      }),
      { maxLength: 5 },
    )
    .map((gpus) => ({ gpus: gpus.map((gpu, index) => ({ ...gpu, index })) }))
const gpuAsks: fc.Arbitrary<GpuAsk> = fc.record({
  count: fc.integer({ min: 1, max: 3 }),
  shareMilli: fc.constantFrom(1, 250, 400, 1_000),
  models: fc.constantFrom<string[]>([], [], ['A'], ['A', 'B']),
  amounts: fc.constant({ VCPU: 1 }),
})

kindSuite({
  kind: gpuKind,
  hosts: fc.boolean().chain(gpuHosts),
  counting: gpuHosts(true),
  asks: gpuAsks,
  options: {
    'least-fragmentation': {
      typical: [
        { frequency: 0.6, cpu: 1, gpus: 1, shareMilli: 500 },
        { frequency: 0.4, cpu: 4, gpus: 2, shareMilli: 1_000 },
      ],
    },
  },
  state: ({ hosts }, host) => [
    hosts.get(host).gpus.map(({ freeMilli }) => freeMilli),
    hosts.columns.gpuFreeMilli[host],
    hosts.columns.gpuMostFreeMilli[host],
  ],
  leastLeft: ({ hosts }, host) => Math.min(0, ...hosts.get(host).gpus.map(({ freeMilli }) => freeMilli)),
})

describe('NUMA cells', () => {
  /** True if each guest cell can get a separate host cell. Tries all combinations. `canGive` must return the same. */
  function bruteForce(shape: HostShape, ask: readonly NumaCellRequest[], taken: readonly number[] = []): boolean {
    if (taken.length === ask.length) return true
    const guest = ask[taken.length] as NumaCellRequest
    return (shape.numaCells ?? []).some(({ id }) => {
      if (taken.includes(id)) return false
      const alone = aFleet({ h1: { ...shape, numaCells: (shape.numaCells ?? []).filter((cell) => cell.id === id) } })
      return numaKind.canGive(alone.hosts, H1, asking([guest])) && bruteForce(shape, ask, [...taken, id])
    })
  }

  test('canGive is true exactly if an exhaustive search finds a host cell for each guest cell', () => {
    fc.assert(
      fc.property(fc.boolean().chain(numaHosts), guestCells(4), (shape, ask) => {
        expect(numaKind.canGive(aFleet({ h1: shape }).hosts, H1, asking(ask))).toBe(bruteForce(shape, ask))
      }),
      { numRuns: byExtent(15, 60, 300) },
    )
  })

  /** Checks that the CPUs of a guest cell satisfy its thread policy, on a host without other pinned CPUs. */
  function expectCores(cell: CellState, { cpuThreadPolicy }: NumaCellRequest, { pinned = [], siblings = [], emulator }: CellGrant): void {
    const coreOf = (cpu: number) => cell.cores?.find((core) => core.includes(cpu)) ?? [cpu]
    if (cpuThreadPolicy === 'isolate') {
      const cores = pinned.map(coreOf)
      expect(new Set(cores.flat())).toEqual(new Set([...pinned, ...siblings]))
      expect(cores.flat().length).toBe(pinned.length + siblings.length)
      expect(emulator === undefined || !cores.flat().includes(emulator)).toBe(true)
    } else expect(siblings).toEqual([])
    if (cpuThreadPolicy === 'require')
      for (const cpu of pinned) expect(coreOf(cpu).filter((thread) => cell.pinnable.includes(thread)).length).toBeGreaterThan(1)
  }

  test('every guest cell gets its own host cell, all its memory and pages, and CPUs on cores that its thread policy allows', () => {
    fc.assert(
      fc.property(
        numaHosts(false),
        guestCells(3),
        fc.boolean(),
        fc.constantFrom(...numaKind.rules),
        (shape, ask, isolatesEmulator, rule) => {
          const fleet = aFleet({ h1: shape })
          const grant = numaKind.createAssign({ rule })(fleet.hosts, H1, asking(ask, isolatesEmulator))
          fc.pre(grant !== undefined)
          expect(new Set(grant.map(({ cell }) => cell)).size).toBe(ask.length)
          for (const [i, part] of grant.entries()) {
            const guest = ask[i] as NumaCellRequest
            const cell = fleet.hosts.get(H1).cells.find(({ id }) => id === part.cell)
            expect([part.guest, part.memoryMb]).toEqual([guest.id, guest.memoryMb])
            const own = guest.cpuPolicy === 'dedicated' ? guest.cpus.length : guest.dedicatedCpus.length
            expect([part.cpus, part.pinned?.length ?? 0]).toEqual([guest.cpus.length - own, own])
            expect(part.emulator !== undefined).toBe(isolatesEmulator && i === 0)
            const taken = cpusOf(part)
            expect(new Set(taken).size).toBe(taken.length)
            for (const cpu of taken) expect([cell?.pinnable.includes(cpu), cell?.isPinned(cpu)]).toEqual([true, false])
            if (cell !== undefined) expectCores(cell, guest, part)
            expect(part.pages === undefined ? 0 : part.pages.sizeKib * part.pages.count).toBe(
              guest.pageSize === null || cell?.pages === undefined ? 0 : guest.memoryMb * 1_024,
            )
            if (part.pages !== undefined && guest.pageSize === 'large') expect(part.pages.sizeKib).toBe(2_048)
            if (part.pages !== undefined && guest.pageSize === 'small') expect(part.pages.sizeKib).toBe(4)
          }
        },
      ),
      { numRuns: byExtent(10, 40, 200) },
    )
  })

  const cells = (used: readonly number[]): HostShape => ({
    numaCells: used.map((memoryUsageMb, id) => ({
      id,
      cpuset: [id * 4, id * 4 + 1, id * 4 + 2, id * 4 + 3],
      memoryMb: 100,
      memoryUsageMb,
    })),
  })
  test.each<[string, readonly number[], number]>([
    ['first', [50, 0, 90], 0],
    ['emptiest', [50, 0, 90], 1],
    ['tightest', [50, 0, 90], 2],
    ['emptiest', [7, 7, 7], 0],
    ['tightest', [7, 7, 7], 0],
  ])('by the rule %s, of cells with %j of 100 MiB used, cell %i is chosen', (rule, used, cell) => {
    const fleet = aFleet({ h1: cells(used) })
    const grant = numaKind.createAssign({ rule })(fleet.hosts, H1, asking([guestCell({ memoryMb: 5 })]))
    expect(grant).toEqual([{ guest: 0, cell, memoryMb: 5, cpus: 1 }])
  })

  test('a CPU that a claim has pinned is not given to another guest, neither as a pinned nor as a shared CPU', () => {
    const fleet = aFleet({ h1: cells([0]) })
    const assign = numaKind.createAssign(undefined)
    const dedicated = (count: number) =>
      assign(fleet.hosts, H1, asking([guestCell({ cpus: Array.from({ length: count }, (_, cpu) => cpu), cpuPolicy: 'dedicated' })]))
    const first = dedicated(2)
    expect(first?.[0]?.pinned).toEqual([0, 1])
    if (first !== undefined) numaKind.hold(fleet.hosts, H1, first, false)
    expect(dedicated(2)?.[0]?.pinned).toEqual([2, 3])
    expect(dedicated(3)).toBeUndefined()
    expect(assign(fleet.hosts, H1, asking([guestCell({ cpus: [0, 1, 2] })]))).toBeUndefined()
  })

  test('fits checks the sum of two parts of a grant on the same cell', () => {
    const fleet = aFleet({ h1: cells([0]) })
    const part = (guest: number, memoryMb: number) => ({ guest, cell: 0, cpus: 1, memoryMb })
    expect(numaKind.fits(fleet.hosts, H1, [part(0, 50), part(1, 50)])).toBe(true)
    expect(numaKind.fits(fleet.hosts, H1, [part(0, 50), part(1, 51)])).toBe(false)
    expect(numaKind.fits(fleet.hosts, H1, [{ ...part(0, 1), cell: 9 }])).toBe(false)
    expect(
      numaKind.fits(fleet.hosts, H1, [
        { ...part(0, 1), cpus: 0, pinned: [2] },
        { ...part(1, 1), cpus: 0, pinned: [2] },
      ]),
    ).toBe(false)
    expect(numaKind.fits(fleet.hosts, H1, [{ ...part(0, 1), cpus: 0, pinned: [4] }])).toBe(false)
  })
})

describe('GPUs', () => {
  const used = [500, 0, 800].map((usedMilli, index) => ({ index, usedMilli }))
  test.each<[string, number, readonly number[] | undefined]>([
    ['fullest', 200, [2]],
    ['emptiest', 200, [1]],
    ['first', 200, [0]],
    ['fullest', 1_000, [1]],
    ['first', 1_000, [1]],
  ])('by the rule %s, a share of %i thousandths is taken from GPU %j', (rule, shareMilli, taken) => {
    const fleet = aFleet({ h1: { gpus: used } })
    const grant = gpuKind.createAssign({ rule })(fleet.hosts, H1, { count: 1, shareMilli, models: [], amounts: {} })
    expect(grant?.map(({ index }) => index)).toEqual(taken)
  })

  test('fits checks the sum of two parts of a grant on the same GPU', () => {
    const fleet = aFleet({ h1: { gpus: used } })
    const part = (index: number, milli: number) => ({ index, milli })
    expect(gpuKind.fits(fleet.hosts, H1, [part(0, 250), part(0, 250)])).toBe(true)
    expect(gpuKind.fits(fleet.hosts, H1, [part(0, 250), part(0, 251)])).toBe(false)
    expect(gpuKind.fits(fleet.hosts, H1, [part(7, 1)])).toBe(false)
  })
})

describe('resource classes', () => {
  test('capacity and free amount are exact for the largest total and ratio that a report allows', () => {
    const fleet = aFleet({ h1: { inventories: [{ resourceClass: 'BIG', total: 2 ** 40, allocationRatio: 1_000 }] } })
    const columns = fleet.hosts.classColumns('BIG')
    expect(at(columns.capacity, H1)).toBe(2 ** 40 * 1_000)
    classesKind.hold(fleet.hosts, H1, { BIG: 1 }, false)
    expect(at(columns.free, H1)).toBe(2 ** 40 * 1_000 - 1)
  })

  test('a class that the host does not report has nothing free, even while a claim holds an amount of it', () => {
    const fleet = aFleet({ h1: {} })
    classesKind.hold(fleet.hosts, H1, { GONE: 2 }, false)
    expect(classesKind.fits(fleet.hosts, H1, { GONE: 1 })).toBe(false)
    expect(classesKind.canGive(fleet.hosts, H1, [{ resourceClass: 'GONE', amount: 1 }])).toBe(false)
  })
})

test('the rules emptiest and tightest compare the free resources of cells, and pinned CPUs do not count as free', () => {
  const cells = [0, 1].map((id) => ({
    id,
    cpuset: [0, 1, 2, 3, 4, 5, 6, 7].map((cpu) => cpu + 8 * id),
    memoryMb: 10_000,
    pinnedCpus: id === 0 ? [0, 1, 2, 3, 4, 5] : [8],
  }))
  const fleet = aFleet({ h1: { numaCells: cells } })
  const ask = asking([guestCell({})])
  const choose = (rule: string) => numaKind.createAssign({ rule })(fleet.hosts, 0 as HostIndex, ask)?.[0]?.cell
  expect([choose('emptiest'), choose('tightest')]).toEqual([1, 0])
})
