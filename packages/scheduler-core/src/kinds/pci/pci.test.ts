import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { byExtent } from '../../../../../testing/extent.ts'
import { grantsFit } from '../../claims/held-amounts.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { FEATURE_LEVEL } from '../../records/change.ts'
import type { Grants } from '../../records/grants.ts'
import type { RequestSpec } from '../../request/request-spec.ts'
import { aClaim, aFleet, aLog, aReport, aRequest, aUuid, type HostShape } from '../../testing/index.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { allKinds } from '../index.ts'
import { kindSuite } from '../kind.suite.ts'
import { numaKind } from '../numa/numa.ts'
import { pciAskOf } from './ask.ts'
import { pciKind } from './pci.ts'
import { poolKey, poolsOf } from './pool.ts'

const H1 = 0 as HostIndex
const VENDORS = ['a', 'b']

const hostPools = (counts: boolean) =>
  fc.array(
    fc.record({
      vendorId: fc.constantFrom(...VENDORS),
      productId: fc.constant('x'),
      numaNode: fc.constantFrom(null, 0, 1, 2, 9),
      total: fc.nat({ max: 3 }),
      used: counts ? fc.nat({ max: 2 }) : fc.constant(null),
    }),
    { maxLength: 5 },
  )
const hosts = (counts: boolean): fc.Arbitrary<HostShape> =>
  fc
    .tuple(hostPools(counts), fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(null, 0, 1)), { maxLength: 3 }))
    .map(([pciPools, cells]) => ({
      pciPools,
      numaCells: cells.map(([memoryMb, socket], id) => ({ id, cpuset: [id * 2, id * 2 + 1], memoryMb, socket })),
    }))

const wishes = fc.array(
  fc.record({
    count: fc.integer({ min: 1, max: 2 }),
    specs: fc.constantFrom<Record<string, string>[]>(
      [{ vendor_id: 'a' }],
      [{ vendor_id: 'B' }],
      [{ vendor_id: 'a' }, { vendor_id: 'b' }],
      [{ product_id: 'x' }],
    ),
    numaPolicy: fc.constantFrom('legacy' as const, 'required' as const, 'preferred' as const, 'socket' as const),
  }),
  { minLength: 1, maxLength: 3 },
)
const requests = (maxCells: number): fc.Arbitrary<RequestSpec> =>
  fc.tuple(wishes, fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: maxCells })).map(([pciRequests, cells]) =>
    aRequest({
      pciRequests,
      numaTopology: cells.length === 0 ? null : { cells: cells.map((memoryMb, id) => ({ id, cpus: [0], memoryMb })) },
    }),
  )

kindSuite({
  kind: pciKind,
  hosts: fc.boolean().chain(hosts),
  counting: hosts(true),
  asks: requests(1).map((request) => pciAskOf(request) as NonNullable<ReturnType<typeof pciAskOf>>),
  state: (fleet, host) => poolsOf(fleet.hosts.get(host)).list.map(({ key, free }) => [key, free]),
  leastLeft: (fleet, host) => Math.min(0, ...poolsOf(fleet.hosts.get(host)).list.map(({ free }) => free)),
})

describe('devices near to cells', () => {
  /** Lets all kinds choose grants in order. Returns the grants, or the name of the first kind that finds no grant. */
  function choose(shape: HostShape, request: RequestSpec, rule: string): { grants: Grants; fleet: ReturnType<typeof aFleet> } | string {
    const fleet = aFleet({ h1: shape })
    let grants: Grants = {}
    for (const kind of allKinds) {
      const ask = kind.ask(request)
      if (ask === undefined) continue
      const grant = kind.createAssign(kind.name === 'numa' ? { rule } : undefined)(fleet.hosts, H1, ask, grants)
      if (grant === undefined) return kind.name
      grants = { ...grants, [kind.name]: grant }
    }
    return { grants, fleet }
  }

  const canGive = (shape: HostShape, request: RequestSpec): boolean =>
    allKinds.every((kind) => {
      const ask = kind.ask(request)
      if (ask === undefined) return true
      const fleet = aFleet({ h1: shape })
      const can = kind.canGive(fleet.hosts, H1, ask)
      expect(kind.prepareCanGive?.(fleet.hosts, ask)(H1) ?? can).toBe(can)
      if (!can) expect(kind.reason(fleet.hosts, H1, ask).code).toMatch(new RegExp(`^(${kind.name}|pci|class)[.]`))
      return can
    })

  /**
   * True if the request fits, found by trying every choice of cells. The devices are enough if each subset of the PCI requests needs at
   * most as many devices as match the subset (Hall's theorem).
   */
  function bruteForce(shape: HostShape, { numaTopology, pciRequests }: RequestSpec): boolean {
    const cells = shape.numaCells ?? []
    const guests = numaTopology?.cells ?? []
    const choices = (chosen: readonly number[]): boolean =>
      chosen.length === guests.length
        ? devicesSuffice(chosen)
        : cells.some(
            ({ id, memoryMb }) => !chosen.includes(id) && memoryMb >= (guests[chosen.length]?.memoryMb ?? 0) && choices([...chosen, id]),
          )
    const socketOf = (id: number | null) => cells.find((cell) => cell.id === id)?.socket ?? null
    const allSay = cells.every(({ socket }) => socket !== null)
    const reaches = (node: number | null, policy: string, chosen: readonly number[]): boolean =>
      guests.length === 0 ||
      policy === 'preferred' ||
      (node !== null && chosen.includes(node)) ||
      (policy === 'legacy' && node === null) ||
      (policy === 'socket' && allSay && socketOf(node) !== null && chosen.some((id) => socketOf(id) === socketOf(node)))
    const devicesSuffice = (chosen: readonly number[]): boolean =>
      Array.from({ length: 2 ** pciRequests.length }, (_, group) => pciRequests.filter((_request, r) => (group >> r) % 2 === 1)).every(
        (group) => {
          const usable = (shape.pciPools ?? []).filter(({ vendorId, numaNode = null }) =>
            group.some(
              ({ specs, numaPolicy }) =>
                specs.some((spec) => spec.vendor_id === undefined || spec.vendor_id.toLowerCase() === vendorId) &&
                reaches(numaNode, numaPolicy, chosen),
            ),
          )
          const free = new Map<string, number>()
          for (const { vendorId, productId, numaNode = null, total, used = null } of usable) {
            const key = poolKey({ vendorId, productId, numaNode, deviceType: null, tags: {}, total, used })
            free.set(key, (free.get(key) ?? 0) + total - (used ?? 0))
          }
          const have = [...free.values()].reduce((sum, count) => sum + Math.max(0, count), 0)
          return group.reduce((sum, { count }) => sum + count, 0) <= have
        },
      )
    return choices([])
  }

  test('all kinds find grants exactly if canGive is true for each, and exactly if an exhaustive search finds a placement', () => {
    fc.assert(
      fc.property(fc.boolean().chain(hosts), requests(3), fc.constantFrom(...numaKind.rules), (shape, request, rule) => {
        const chosen = choose(shape, request, rule)
        const can = canGive(shape, request)
        expect(can).toBe(bruteForce(shape, request))
        expect(typeof chosen === 'object').toBe(can)
        if (typeof chosen === 'string') return
        const { grants, fleet } = chosen
        expect(grantsFit(fleet.hosts, fleet.hosts.get(H1), grants)).toBe(true)
        for (const [r, { count, numaPolicy }] of request.pciRequests.entries()) {
          const own = (grants.pci ?? []).filter((grant) => grant.request === r)
          expect(own.reduce((sum, grant) => sum + grant.count, 0)).toBe(count)
          if (numaPolicy !== 'required' || request.numaTopology === null) continue
          const cells = (grants.numa ?? []).map(({ cell }) => cell)
          for (const { pool } of own) {
            const node = poolsOf(fleet.hosts.get(H1)).list.find(({ key }) => key === pool)?.numaNode
            expect(cells).toContain(node)
          }
        }
      }),
      { numRuns: byExtent(20, 100, 600) },
    )
  })
})

test('if the search for cells near devices exceeds its limit of steps, each host is refused with the code numa.search_limit', () => {
  // Any 8 cells have 320 devices together, which is the count that the request needs. But any 8 cells have an even count of devices of each
  // vendor, and the request needs 161 and 159. So no choice fits.
  const cells = Array.from({ length: 16 }, (_, id) => ({ id, cpuset: [id], memoryMb: 8 }))
  const pciPools = cells.flatMap(({ id }) => [
    { vendorId: 'a', productId: 'x', numaNode: id, total: 2 * id + 2 },
    { vendorId: 'b', productId: 'x', numaNode: id, total: 38 - 2 * id },
  ])
  const device = (vendor: string, count: number) => ({ count, specs: [{ vendor_id: vendor }], numaPolicy: 'required' as const })
  const request = aRequest({
    numaTopology: { cells: Array.from({ length: 8 }, (_, id) => ({ id, cpus: [0], memoryMb: 1 })) },
    pciRequests: [device('a', 161), device('b', 159)],
  })
  const { hosts } = aFleet({ h1: { numaCells: cells, pciPools }, h2: { numaCells: cells, pciPools } })
  for (const ask of [numaKind.ask(request), numaKind.ask(request)]) {
    if (ask === undefined) throw new Error('expected an ask, because the request has NUMA cells')
    for (const host of [H1, 1 as HostIndex]) {
      expect(numaKind.canGive(hosts, host, ask)).toBe(false)
      expect(numaKind.reason(hosts, host, ask)).toMatchObject({ code: 'numa.search_limit', have: 600 })
    }
  }
})

describe('pools', () => {
  const device = { vendorId: '8086', productId: '10fb', deviceType: null, numaNode: null, tags: {}, total: 1, used: null }

  test('pools that differ in a field have different names, and the order of tags does not change the name', () => {
    const others = [
      device,
      { ...device, numaNode: 0 },
      { ...device, deviceType: 'type-VF' },
      { ...device, deviceType: 'type-VF@0' },
      { ...device, deviceType: 'type-VF', numaNode: 0 },
      { ...device, vendorId: '8086:10fb' },
      { ...device, tags: { a: 'b' } },
      { ...device, tags: { a: 'b&c=d' } },
      { ...device, tags: { a: 'b', c: 'd' } },
    ]
    expect(new Set(others.map(poolKey)).size).toBe(others.length)
    expect(poolKey({ ...device, tags: { c: 'd', a: 'b' } })).toBe(poolKey({ ...device, tags: { a: 'b', c: 'd' } }))
  })

  const aPool = (total: number, used: number | null = null) => ({ vendorId: '8086', productId: '10fb', total, used })
  const free = (record: HostRecord | undefined) => (record === undefined ? [] : poolsOf(record).list.map((pool) => pool.free))
  const grants = { pci: [{ request: 0, pool: '8086:10fb', count: 2 }] }

  test('a claim survives a report without its pool, and holds its devices again when the pool is reported again', () => {
    const log = aLog()
    log.append([aReport('h1', { pciPools: [aPool(3)] })])
    expect(log.append([aClaim({ hosts: ['h1'], grants, mode: 'CONFIRM' })])).toEqual([undefined])
    const h1 = log.fleet.hosts.find({ host: 'h1', node: 'h1' })
    expect(free(h1)).toEqual([1])
    log.append([aReport('h1', {}, 2)])
    expect(free(h1)).toEqual([])
    expect(log.append([aClaim({ key: 'k2', hosts: ['h1'], grants, mode: 'CONFIRM' })])).toEqual(['claim.no_room'])
    log.append([aReport('h1', { pciPools: [aPool(3)] }, 3)])
    expect(free(h1)).toEqual([1])
  })

  test('a materialised claim is not subtracted if the report counts use, and a delta without usage cannot add its instance', () => {
    const instance = aUuid(1)
    const log = aLog()
    log.append([aReport('h1', { pciPools: [aPool(3, 0)], instances: [] })])
    log.append([aClaim({ hosts: ['h1'], grants, instances: [instance], mode: 'CONFIRM' })])
    const h1 = log.fleet.hosts.find({ host: 'h1', node: 'h1' })
    expect(free(h1)).toEqual([1])
    const { full: _, ...delta } = aReport('h1', {}, 2)
    expect(log.append([{ ...delta, delta: { baseSequence: 1, addInstances: [instance] } }])).toEqual(['report.gap'])
    log.append([aReport('h1', { pciPools: [aPool(3, 2)], instances: [instance] }, 2)])
    expect(free(h1)).toEqual([1])
  })
})

test.each([
  [FEATURE_LEVEL, { source: '1 at cell 7, 2 at no known cell' }],
  // below feature level 10, reasons do not contain the location of devices
  [9, {}],
])('at feature level %i, the source in a reason about devices that are not near enough is %j', (level, said) => {
  const log = aLog()
  const pools = [null, 7].map((numaNode, i) => ({ vendorId: 'v', productId: `p${i}`, total: 2 - i, numaNode }))
  log.append([{ type: 'feature', level }, aReport('h1', { numaCells: [{ id: 0, cpuset: [0], memoryMb: 1_024 }], pciPools: pools })])
  const request = aRequest({
    numaTopology: { cells: [{ id: 0, cpus: [0], memoryMb: 1 }] },
    pciRequests: [{ count: 1, specs: [{ vendor_id: 'v' }], numaPolicy: 'required' }],
  })
  const reason = pciKind.reason(log.fleet.hosts, H1, pciAskOf(request) as NonNullable<ReturnType<typeof pciAskOf>>)
  expect(reason).toEqual({ code: 'pci.numa', subject: 'request 0 (vendor v)', need: 1, have: 0, unit: 'devices', ...said })
})
