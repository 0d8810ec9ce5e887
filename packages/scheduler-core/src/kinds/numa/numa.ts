import { type CellAsk, type CellInventory, CellState, cpuSetOf, cpusFit, freeRate } from '../../hosts/cell.ts'
import type { HostRecord, HostTable, OwnHostRecord } from '../../hosts/hosts.ts'
import { hugeMibOf, hugeMibReported, isBackedByHuge, limitsOf, plainMibLeft, plainMibOf } from '../../hosts/plain-memory.ts'
import { leftOf, reportOf } from '../../hosts/sources.ts'
import type { CellGrant } from '../../records/grants.ts'
import type { HostStats } from '../../report/stats.ts'
import { fromRequest, NEAR_CELLS } from '../../text/evidence.ts'
import { capacityOf, toRatioMilli } from '../../values/capacity.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { KEPT_PAGES, OWN_UNITS, PLAIN_IN_CELLS, STRICT_CLAIMS } from '../../values/levels.ts'
import { ClaimCount } from '../claim-count.ts'
import { createHostState } from '../host-state.ts'
import type { AssignmentSetting, ResourceKind } from '../kind.ts'
import { heldByMover, ownUnits } from '../mover.ts'
import { type NumaAsk, numaAskOf } from './ask.ts'
import { type CellPiece, isNothing } from './cell-piece.ts'
import { hugeHeld, NO_HUGE_PAGES } from './huge-held.ts'
import { askWithinPlain, keptWithinPlain } from './in-all.ts'
import { isPartOf, keepCells } from './keep.ts'
import { cpusOf } from './pin.ts'
import { placeAlone, placerOf, toGrant } from './place.ts'
import { CellUnits, cellsBelowClaims } from './units.ts'
import { whatCellsLack, whyNoCells, whyNoPlain } from './why.ts'

export { CellState, freeRate, sharedCpusLeft } from '../../hosts/cell.ts'

/** Compares host cells. An assignment rule tries host cells in this order: by id, most free first, or least free first. */
type CellOrder = (a: CellState, b: CellState) => number

const orders: Readonly<Record<string, CellOrder>> = {
  first: (a, b) => a.id - b.id,
  emptiest: (a, b) => freeRate(b) - freeRate(a) || a.id - b.id,
  tightest: (a, b) => freeRate(a) - freeRate(b) || a.id - b.id,
}

const NO_CELLS: readonly CellState[] = []

/**
 * For each host, the object that counts the claims on its NUMA cells. Undefined below feature level STRICT_CLAIMS, and for hosts without
 * cells.
 */
const counts = createHostState<ClaimCount<CellPiece, CellUnits> | undefined>(undefined)

/**
 * The resource kind for NUMA cells. Each guest cell gets a separate host cell with enough shared CPUs, dedicated CPUs, memory and pages.
 * The thread policy and the required nearness of devices are also checked.
 */
export const numaKind: ResourceKind<NumaAsk, readonly CellGrant[]> = {
  name: 'numa',
  filter: {
    name: 'NUMATopologyFilter',
    description: 'Every guest cell fits on a separate NUMA cell of the host.',
    reads: ['numaCells', 'pciPools'],
  },
  rules: ['first', 'emptiest', 'tightest'],

  ask: numaAskOf,

  canGive(hosts, host, ask) {
    const kept = keptCells(hosts, host, ask)
    if (kept !== undefined) return keptWithinPlain(hosts, host, ask, kept)
    const within = askWithinPlain(hosts, host, ask)
    if (within === undefined) return false
    const { cells } = hosts.get(host)
    const alone = guestAlone(within)
    return alone === undefined ? placerOf(within).canPlace(hosts, host, cells) : placeAlone(alone, cells) !== undefined
  },

  prepareCanGive(hosts, ask) {
    const { records } = hosts
    const alone = guestAlone(ask)
    if (ask.cells.some(({ pageSize }) => pageSize !== null)) {
      // the requested pages can be plain pages, and `canGive` checks that the whole host has enough plain memory (`askWithinPlain`)
      const canGive = (host: HostIndex) => this.canGive(hosts, host, ask)
      return hosts.mover === null && alone === undefined ? answerOncePerVersion(hosts, canGive) : canGive
    }
    const placer = alone === undefined ? placerOf(ask) : undefined
    const canPlace =
      alone === undefined
        ? answerOncePerVersion(hosts, (host) => placer?.canPlace(hosts, host, (records[host] as HostRecord).cells) === true)
        : (host: HostIndex) => placeAlone(alone, (records[host] as HostRecord).cells) !== undefined
    return hosts.mover === null ? canPlace : (host) => keptCells(hosts, host, ask) !== undefined || canPlace(host)
  },

  createAssign(setting) {
    const order = orderOf(setting)
    return (hosts, host, ask) => {
      const kept = keptCells(hosts, host, ask)
      if (kept !== undefined) return keptWithinPlain(hosts, host, ask, kept) ? kept : undefined
      const within = askWithinPlain(hosts, host, ask)
      if (within === undefined) return undefined
      const cells = [...hosts.get(host).cells].sort(order)
      const alone = guestAlone(within)
      if (alone !== undefined) {
        const cell = placeAlone(alone, cells)
        return cell && [toGrant(alone, cell)]
      }
      const placed = placerOf(within).place(hosts, host, cells)
      return placed?.map((cell, i) => toGrant(within.cells[i] as CellAsk, cell))
    }
  },

  keep: keepCells,
  isPartOf,

  fits(hosts, host, grant, held) {
    if (hosts.featureLevel >= OWN_UNITS && held !== undefined && isPartOf(grant, held)) return true
    const { cells } = hosts.get(host)
    // `assign` never puts two guest cells on one host cell, but a claim from a caller can, so the amounts of each cell are summed
    const taken = new Map<CellState, Sum>()
    for (const part of grant) {
      const cell = cells.find(({ id }) => id === part.cell)
      if (cell === undefined) return false
      const sum = taken.get(cell) ?? { cpus: 0, memoryMb: 0, plainMb: 0, pinned: new Set(), unshared: 0, pages: new Map() }
      taken.set(cell, sum)
      if (!addsUp(cell, sum, part)) return false
    }
    return true
  },

  hold: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, 1),
  drop: (hosts, host, grant, materialised) => add(hosts, host, grant, materialised, -1),

  lift(hosts, host, grant, materialised) {
    const count = counts.of(hosts.own(host))
    if (count === undefined) {
      add(hosts, host, grant, false, -1)
      return () => add(hosts, host, grant, false, 1)
    }
    // all memory of the grant counts as free now, so its huge pages must count as free too
    holdHuge(hosts.own(host), grant, false, -1)
    const restore = grant.flatMap((part) => {
      if (!materialised) return [count.lift(count.units.pieceOf(part), false)]
      const { counted, uncounted } = count.units.split(part)
      // CPUs that the report lists as pinned are not treated as free: the guest either keeps them with its cells, or gets other CPUs.
      const pieces = [
        { piece: { ...counted, pins: [] }, isCounted: true },
        { piece: uncounted, isCounted: false },
      ]
      return pieces.filter(({ piece }) => !isNothing(piece)).map(({ piece, isCounted }) => count.lift(piece, isCounted))
    })
    return () => {
      for (const undo of restore.reverse()) undo()
      holdHuge(hosts.own(host), grant, false, 1)
    }
  },

  takeInventory(hosts, host, stats) {
    const isStrict = hosts.featureLevel >= STRICT_CLAIMS
    const record = hosts.own(host)
    if (stats.numaCells.length === 0) {
      record.cells = NO_CELLS
      hosts.columns.hugePageMib[host] = 0
      hugeHeld.set(record, NO_HUGE_PAGES)
      counts.set(record, undefined)
      return
    }
    record.cells = stats.numaCells
      .map((cell) => new CellState(inventoryOf(stats, cell, hosts.featureLevel), cell.cpuUsage ?? 0, cell.memoryUsageMb ?? 0))
      .sort((a, b) => a.id - b.id)
    hosts.columns.hugePageMib[host] = stats.numaCells.reduce((sum, { memoryMb, pages }) => sum + memoryMb - plainMibOf(memoryMb, pages), 0)
    hugeHeld.set(record, { reported: hugeMibReported(stats), counted: 0, uncounted: 0 })
    counts.set(
      record,
      isStrict ? new ClaimCount(new CellUnits(record.cells, usedPagesOf(stats), hosts.featureLevel >= KEPT_PAGES)) : undefined,
    )
  },

  copy(from, to) {
    to.cells = from.cells.map((cell) => cell.copy())
    const count = counts.of(from)
    hugeHeld.set(to, hugeHeld.of(from))
    counts.set(to, count?.copy(count.units.copy(to.cells)))
  },

  countsUse: (hosts, host) =>
    hosts
      .get(host)
      .cells.some((cell) => cell.countsCpu || cell.countsMemory || cell.countsPinned || cell.pages?.some(({ countsUse }) => countsUse)),

  usedBelowClaims: (hosts, host) => counts.of(hosts.get(host))?.units.below() ?? [],

  capacityBelowClaims: (hosts, host, grants) => cellsBelowClaims(hosts.get(host), grants.flat()),

  reason: (hosts, host, ask) => (keptCells(hosts, host, ask) === undefined ? whyNoCells : whyNoPlain)(hosts, host, ask),

  havers: (hosts, ask) => ({
    which: 'with NUMA cells',
    has: (host) => hosts.get(host).cells.length > 0,
    lacks: () => ({ code: 'numa.not_reported', subject: 'NUMA', need: ask.cells.length, have: 0, unit: 'cells' }),
  }),

  facts(hosts, host, ask) {
    const lacks = keptCells(hosts, host, ask) === undefined ? whatCellsLack(hosts, host, ask) : [whyNoPlain(hosts, host, ask)]
    return lacks.map(({ code, subject = 'NUMA', need: required, have: actual, unit }) => ({
      subject,
      ...(required !== undefined && { required }),
      ...(actual !== undefined && { actual }),
      ...(unit !== undefined && { unit }),
      ...(code.startsWith('numa.too_') && { amountOf: 'in total' as const }),
      ...(Object.hasOwn(askedIn, code) && { amountOf: NEAR_CELLS }),
      requiredFrom: fromRequest(askedIn[code] ?? 'numaTopology.cells'),
      actualFrom: code === 'numa.cells' || code === 'numa.not_reported' ? reportOf(hosts.get(host)) : leftOf(hosts.get(host)),
    }))
  },
}

/** For each reason code about missing near devices, the request field that requires them. */
const askedIn: Readonly<Record<string, string>> = { 'pci.numa': 'pciRequests', 'gpu.numa': 'gpus.numaPolicy' }

/**
 * The part of the held cells with which a moving guest meets its ask on its own host. Undefined if the held cells do not meet the ask. What
 * the host has free at present does not matter.
 */
function keptCells(hosts: HostTable, host: HostIndex, ask: NumaAsk): readonly CellGrant[] | undefined {
  return hosts.featureLevel < OWN_UNITS ? heldCells(hosts, host, ask) : ownUnits(numaKind, hosts, host, ask)
}

/**
 * Like `keptCells`, for feature levels below OWN_UNITS: all cells that the guest holds on this host, if they meet the guest's ask and are
 * near its devices.
 */
function heldCells(hosts: HostTable, host: HostIndex, { cells, nearness }: NumaAsk): readonly CellGrant[] | undefined {
  const held = heldByMover(hosts, host)?.numa
  if (held === undefined || held.length !== cells.length) return undefined
  const here = hosts.get(host).cells
  const chosen = held.map(({ cell }) => here.findIndex(({ id }) => id === cell)).filter((position) => position >= 0)
  if (nearness?.on(hosts, host, here).shortOf(chosen) !== undefined) return undefined
  return cells.every((cell) => held.some((part) => part.guest === cell.guest && isCovered(cell, part))) ? held : undefined
}

const isCovered = ({ shared, dedicated, emulator, memoryMb, pageSize }: CellAsk, part: CellGrant): boolean =>
  shared <= part.cpus &&
  dedicated <= (part.pinned?.length ?? 0) &&
  emulator <= (part.emulator === undefined ? 0 : 1) &&
  memoryMb <= part.memoryMb &&
  (pageSize === null || pageSize === 'small' || pageSize === 'any' || part.pages !== undefined) &&
  (typeof pageSize !== 'number' || part.pages?.sizeKib === pageSize)

/** The only cell of a guest. Undefined if the guest has several cells, or if devices must or should be near its cell. */
const guestAlone = ({ cells, nearness, wished }: NumaAsk): CellAsk | undefined =>
  cells.length === 1 && nearness === undefined && wished === undefined ? cells[0] : undefined

/** Caches the result for each host until the host's version changes. A request for many instances needs the same result repeatedly. */
function answerOncePerVersion({ columns, count }: HostTable, answer: (host: HostIndex) => boolean): (host: HostIndex) => boolean {
  const versions = new Float64Array(count).fill(-1)
  const answers = new Uint8Array(count)
  return (host) => {
    const version = columns.version[host] as number
    if (versions[host] !== version) {
      answers[host] = answer(host) ? 1 : 0
      versions[host] = version
    }
    return answers[host] === 1
  }
}

function orderOf(setting: AssignmentSetting | undefined): CellOrder {
  const rule = setting?.rule ?? 'first'
  const order = Object.hasOwn(orders, rule) ? orders[rule] : undefined
  if (order === undefined)
    throw new RangeError(`the resource kind numa has no assignment rule ${rule}; it must be one of ${Object.keys(orders).join(', ')}`)
  return order
}

/** The sums of the parts of a grant on one host cell. */
interface Sum {
  cpus: number
  memoryMb: number
  /** The memory outside of huge pages. */
  plainMb: number
  readonly pinned: Set<number>
  /** The count of pinned CPUs that would otherwise be shared CPUs. */
  unshared: number
  /** For each page size in KiB, the count of pages. */
  readonly pages: Map<number, number>
}

/** Adds a part of a grant to the sums of its cell. Returns false if the new sums do not fit on the cell. */
function addsUp(cell: CellState, sum: Sum, part: CellGrant): boolean {
  sum.cpus += part.cpus
  sum.memoryMb += part.memoryMb
  if (!isBackedByHuge(cell, part.pages)) sum.plainMb += part.memoryMb
  for (const cpu of cpusOf(part)) {
    if (sum.pinned.has(cpu) || !cpuSetOf(cell.pinnable).has(cpu) || cell.isPinned(cpu)) return false
    sum.pinned.add(cpu)
    if (cell.dedicated === undefined || cpuSetOf(cell.cpuset).has(cpu)) sum.unshared++
  }
  if (sum.memoryMb > cell.memoryFree || !cpusFit(cell, sum.cpus, sum.unshared)) return false
  const { limits } = cell
  if (limits !== undefined && sum.memoryMb > limits.memoryMb) return false
  if (limits !== undefined && sum.plainMb > 0 && sum.plainMb > plainMibLeft(cell, sum.pinned.size > 0)) return false
  if (part.pages === undefined) return true
  const { sizeKib, count } = part.pages
  const pages = (sum.pages.get(sizeKib) ?? 0) + count
  sum.pages.set(sizeKib, pages)
  return (cell.pages ?? []).some((state) => state.sizeKib === sizeKib && state.free >= pages)
}

function add(hosts: HostTable, host: HostIndex, grant: readonly CellGrant[], materialised: boolean, sign: 1 | -1): void {
  const record = hosts.own(host)
  const { cells } = record
  holdHuge(record, grant, materialised, sign)
  const count = counts.of(record)
  for (const part of grant) {
    if (count !== undefined) {
      if (!materialised) change(count, count.units.pieceOf(part), false, sign)
      else {
        const { counted, uncounted } = count.units.split(part)
        change(count, counted, true, sign)
        change(count, uncounted, false, sign)
      }
      continue
    }
    const cell = cells.find(({ id }) => id === part.cell)
    if (cell === undefined) continue // the host no longer has the cell, so there is nothing to count
    if (!(materialised && cell.countsCpu)) cell.cpuFree -= sign * part.cpus
    if (!(materialised && cell.countsMemory)) cell.memoryFree -= sign * part.memoryMb
    if (!(materialised && cell.countsPinned)) for (const cpu of cpusOf(part)) cell.pin(cpu, sign)
    const pages = part.pages === undefined ? undefined : cell.pages?.find(({ sizeKib }) => sizeKib === part.pages?.sizeKib)
    if (pages !== undefined && !(materialised && pages.countsUse)) pages.free -= sign * (part.pages?.count ?? 0)
  }
}

/** Adds or subtracts (-1) the huge pages of a grant in `hugeHeld`. `isCounted` is true for a materialised claim. */
function holdHuge(record: OwnHostRecord, grant: readonly CellGrant[], isCounted: boolean, sign: 1 | -1): void {
  const mib = hugeMibOf(record.cells, grant)
  if (mib === 0) return
  const held = hugeHeld.of(record)
  const sum = isCounted ? 'counted' : 'uncounted'
  hugeHeld.set(record, { ...held, [sum]: held[sum] + sign * mib })
}

function change(count: ClaimCount<CellPiece, CellUnits>, piece: CellPiece, isCounted: boolean, sign: 1 | -1): void {
  if (isNothing(piece)) return
  if (sign === 1) count.hold(piece, isCounted)
  else count.drop(piece, isCounted)
}

/** For each page size in KiB, the reported count of used pages, summed over all cells. */
function usedPagesOf({ numaCells }: HostStats): ReadonlyMap<number, number> {
  const pages = new Map<number, number>()
  for (const { sizeKib, used } of numaCells.flatMap((cell) => cell.pages)) pages.set(sizeKib, (pages.get(sizeKib) ?? 0) + (used ?? 0))
  return pages
}

function inventoryOf(stats: HostStats, cell: HostStats['numaCells'][number], featureLevel: number): CellInventory {
  const memoryRatio = (mib: number) => capacityOf(mib, 0, toRatioMilli(stats.ramAllocationRatio))
  const ascending = (cpus: readonly number[]) => [...cpus].sort((a, b) => a - b)
  const cpuset = ascending(cell.cpuset)
  const dedicated = cell.dedicatedCpuset === null ? undefined : ascending(cell.dedicatedCpuset)
  const cores = coresOf(cell.siblings.map(ascending), [...new Set([...cpuset, ...(dedicated ?? [])])])
  return {
    id: cell.id,
    cpuset,
    cpuCapacity: capacityOf(cell.cpuset.length, 0, toRatioMilli(stats.cpuAllocationRatio)),
    memoryCapacity: capacityOf(cell.memoryMb, 0, toRatioMilli(stats.ramAllocationRatio)),
    ...(featureLevel >= STRICT_CLAIMS && { limits: limitsOf(cell, memoryRatio, featureLevel >= PLAIN_IN_CELLS) }),
    countsCpu: cell.cpuUsage !== null,
    countsMemory: cell.memoryUsageMb !== null,
    countsPinned: cell.pinnedCpus !== null,
    pinnedByReport: new Set(cell.pinnedCpus ?? []),
    ...(dedicated !== undefined && { dedicated }),
    ...(cores !== undefined && { cores }),
    ...(cell.pages.length > 0 && {
      pages: cell.pages
        .map(({ sizeKib, total, used, reserved }) => ({ sizeKib, countsUse: used !== null, free: total - reserved - (used ?? 0) }))
        .sort((a, b) => a.sizeKib - b.sizeKib),
    }),
    ...(cell.socket !== null && { socket: cell.socket }),
  }
}

/** The CPUs of each core. Undefined if no core has several threads. */
function coresOf(siblings: readonly (readonly number[])[], cpus: readonly number[]): readonly (readonly number[])[] | undefined {
  if (!siblings.some(({ length }) => length > 1)) return undefined
  const shared = new Set(siblings.flat())
  const cores = [...siblings.filter(({ length }) => length > 0), ...cpus.filter((cpu) => !shared.has(cpu)).map((cpu) => [cpu])]
  return cores.sort(([a = 0], [b = 0]) => a - b)
}
