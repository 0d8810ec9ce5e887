import { type CellAsk, type CellState, choosePages, cpusAreLeft, cpusFit, cpusHeld, hasRoom } from '../../hosts/cell.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { isBackedByHuge, plainMibLeft } from '../../hosts/plain-memory.ts'
import { shareMissing } from '../../text/missing.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { DEVICES_ELSEWHERE, IN_ALL_BEFORE_FREE } from '../../values/levels.ts'
import { plainMemoryLeft, plainReserveOf } from '../classes/room.ts'
import type { NumaAsk } from './ask.ts'
import { askWithinPlain, mostPlain } from './in-all.ts'
import { MAX_CHOICES, placerOf } from './place.ts'

/**
 * The reason for which a guest's cells do not fit on a host. This is the shortfall of the first guest cell that fits on no host cell. If
 * each cell fits alone, it is the shortfall of all cells together, and otherwise that of the devices near them.
 */
export function whyNoCells(hosts: HostTable, host: HostIndex, ask: NumaAsk): Reason {
  const { cells } = hosts.get(host)
  const need = ask.cells.length
  if (cells.length === 0) return { code: 'numa.not_reported', subject: 'NUMA', need, have: 0, unit: 'cells' }
  if (cells.length < need) return { code: 'numa.cells', subject: 'NUMA', need, have: cells.length, unit: 'cells' }
  const stuck = ask.cells.find((guest) => !cells.some((cell) => hasRoom(cell, guest)))
  if (stuck !== undefined) return whyNoCell(cells, stuck, hosts.featureLevel >= IN_ALL_BEFORE_FREE)
  const placer = placerOf(ask)
  const have = placer.countPlaced(cells)
  if (have < need) return { code: 'numa.no_match', subject: 'NUMA', need, have, unit: 'cells' }
  const within = askWithinPlain(hosts, host, ask)
  if (within === undefined || (within !== ask && !placerOf(within).canPlace(hosts, host, cells))) return whyNoPlain(hosts, host, ask)
  return whyNotNear(hosts, host, ask)
}

/** The reason for a host on which the cells fit, but memory outside of huge pages is missing. */
export const whyNoPlain = (hosts: HostTable, host: HostIndex, ask: NumaAsk): Reason => ({
  ...{ code: 'memory.huge_pages', subject: 'MEMORY_MB', unit: 'MiB' },
  ...{ need: mostPlain(hosts.get(host).cells, ask), have: plainMemoryLeft(hosts, host) },
  ...plainReserveOf(hosts, host, mostPlain(hosts.get(host).cells, ask)),
})

/**
 * All shortfalls for a guest's cells, beginning with the reason. As many cells as possible are placed. For each remaining cell, the
 * shortfalls of the host cell that lacks the least are returned. If these shortfalls were resolved, the guest would fit.
 */
export function whatCellsLack(hosts: HostTable, host: HostIndex, ask: NumaAsk): readonly Reason[] {
  const { cells } = hosts.get(host)
  const first = whyNoCells(hosts, host, ask)
  if (isNear(first)) return hosts.featureLevel < DEVICES_ELSEWHERE ? [first] : whatIsNotNear(hosts, host, ask, first)
  const near = lacksBesideDevices(hosts, host, ask)
  if (near !== undefined) return [first, ...near.lacks, ...near.short]
  const seats = seatsOf(ask.cells, cells)
  const left = new Set(cells.filter((cell) => !seats.includes(cell)))
  const lacks = ask.cells.flatMap((guest, i) => {
    if (seats[i] !== undefined) return []
    const [nearest] = [...left]
      .map((cell) => ({ cell, lacks: whatCellLacks(cell, guest) }))
      .sort((a, b) => shareOf(a.lacks) - shareOf(b.lacks))
    if (nearest === undefined) return []
    left.delete(nearest.cell)
    return nearest.lacks
  })
  return [first, ...lacks]
}

const isNear = ({ code }: Reason): boolean => code === 'gpu.numa' || code === 'pci.numa'

/** At most this many choices of cells are compared by the devices near them. */
const COMPARED = 100

interface NearChoice {
  /** The shortfalls of the host's cells for the guest's cells. */
  readonly lacks: readonly Reason[]
  /** The devices that are missing near the cells, for each kind of device separately. */
  readonly short: readonly Reason[]
  /** The ids of the cells. */
  readonly cells: readonly number[]
}

/**
 * The shortfalls of the cells nearest to the devices, and the devices that are missing near them. Undefined if the guest needs no near
 * devices, or if there is no choice of cells.
 */
export const lacksBesideDevices = (hosts: HostTable, host: HostIndex, ask: NumaAsk): NearChoice | undefined =>
  nearestChoice(hosts, host, ask, (cell, guest) => (hasRoom(cell, guest) ? [] : whatCellLacks(cell, guest)))

/** Whether a reason is about a limit for a single guest, which does not depend on other instances. */
export const isOfOneGuest = ({ code }: Reason): boolean => code.startsWith('numa.too_')

/**
 * If devices must be near the guest's cells, the choice of cells with the most devices near them, because devices cannot move. Among
 * several such choices, the cells lack least. `lacksOf` returns undefined for a cell that the guest cell cannot have. The result is
 * undefined if there is no such choice, or if no devices must be near.
 */
function nearestChoice(
  hosts: HostTable,
  host: HostIndex,
  { cells: guests, sameAs, nearness }: NumaAsk,
  lacksOf: (cell: CellState, guest: CellAsk) => readonly Reason[] | undefined,
): NearChoice | undefined {
  const { cells } = hosts.get(host)
  if (nearness === undefined || cells.length < guests.length) return undefined
  const near = nearness.on(hosts, host, cells)
  const lacks = guests.map((guest) => cells.map((cell) => lacksOf(cell, guest)))
  let best: (NearChoice & { readonly missing: number; readonly share: number }) | undefined
  let compared = 0
  const chosen: number[] = []
  const compare = (): void => {
    compared++
    const short = near.allShortOf(chosen)
    const here = chosen.flatMap((c, g) => lacks[g]?.[c] ?? [])
    const [missing, share] = [shareOf(short), shareOf(here)]
    if (best === undefined || missing < best.missing || (missing === best.missing && share < best.share))
      best = { lacks: here, short, cells: chosen.map((c) => (cells[c] as CellState).id), missing, share }
  }
  const choose = (): void => {
    const g = chosen.length
    if (g === guests.length) {
      compare()
      return
    }
    // guest cells with equal demands are interchangeable
    const after = sameAs[g] === g ? -1 : (chosen[guests.findLastIndex((_, i) => i < g && sameAs[i] === sameAs[g])] ?? -1)
    for (let c = after + 1; c < cells.length && compared < COMPARED; c++) {
      if (chosen.includes(c) || lacks[g]?.[c] === undefined) continue
      chosen.push(c)
      choose()
      chosen.pop()
    }
  }
  choose()
  return best
}

const shareOf = (lacks: readonly Reason[]): number => lacks.reduce((sum, reason) => sum + shareMissing(reason), 0)

/**
 * A host cell for each guest cell, for as many guest cells as fit at once, and undefined for the others. An earlier guest cell moves if it
 * also fits on another cell.
 */
export function seatsOf(guests: readonly CellAsk[], cells: readonly CellState[]): readonly (CellState | undefined)[] {
  const seats: (CellState | undefined)[] = guests.map(() => undefined)
  const seat = (g: number, seen: Set<CellState>): boolean => {
    for (const cell of cells) {
      if (seen.has(cell) || !hasRoom(cell, guests[g] as CellAsk)) continue
      seen.add(cell)
      const other = seats.indexOf(cell)
      if (other >= 0 && !seat(other, seen)) continue
      seats[g] = cell
      return true
    }
    return false
  }
  for (const g of guests.keys()) seat(g, new Set())
  return seats
}

/** All rules that a host cell breaks for a guest cell. If it breaks no single rule, the combination of CPUs and memory. */
export function whatCellLacks(cell: CellState, guest: CellAsk): readonly Reason[] {
  const subject = `cell ${guest.guest} on cell ${cell.id} of the host`
  const all = rulesOf(guest).flatMap(({ have: haveOf, ...rule }) => {
    const have = Math.max(0, haveOf(cell))
    return have < rule.need ? [{ ...rule, have }] : []
  })
  // of the rules about free memory, only the one with the least free is returned: adding its shortfall satisfies them all
  const left = all.filter(({ code }) => memoryLeft.includes(code))
  const least = left.reduce<(typeof left)[number] | undefined>(
    (best, rule) => (best === undefined || rule.have < best.have ? rule : best),
    undefined,
  )
  const lacks = all
    .filter((rule) => rule === least || !memoryLeft.includes(rule.code))
    .map((rule) => ({ ...rule, subject: `${subject}${narrower[rule.code] ?? ''}` }))
  const inAll = whyNoPages([cell], guest, pagesInAll)
  const pages = whyNoPages([cell], guest, pagesLeft)
  if (pages !== undefined)
    return [
      ...lacks,
      ...(inAll?.code === 'numa.too_few_pages' ? [{ ...inAll, subject }] : []),
      { ...pages, subject: `${subject}${narrower[pages.code] ?? ''}` },
    ]
  return lacks.length > 0 ? lacks : [{ ...cpusBesideMemory([cell], guest), subject }]
}

/** Rules about the free memory of a cell. */
const memoryLeft: readonly Reason['code'][] = ['numa.memory', 'numa.huge_pages', 'numa.pinned_memory']

/** An addition to the subject of a rule that is not about a free amount. */
const narrower: Readonly<Partial<Record<Reason['code'], string>>> = {
  'numa.huge_pages': ', outside of huge pages',
  'numa.pinned_memory': ', for one guest alone',
  'numa.threads': ', on the cores of the thread policy',
  'numa.too_few_cores': ', on the cores of the thread policy',
  'numa.page_size': ', sizes of memory pages',
  'numa.page_multiple': ', in whole memory pages',
}

/** The reason if no cell satisfies all rules together. Of the cells with enough memory, it has the CPUs of the cell with the most. */
function cpusBesideMemory(cells: readonly CellState[], guest: CellAsk): Reason {
  const rules = rulesOf(guest).filter(({ unit }) => unit === 'MiB')
  const enough = cells.filter((cell) => rules.every(({ need, have }) => have(cell) >= need))
  return {
    code: 'numa.no_cell',
    subject: `cell ${guest.guest}`,
    need: guest.shared + guest.dedicated + guest.emulator,
    have: Math.max(0, ...enough.map((cell) => cpusFor(cell, guest))),
    unit: 'CPUs with enough memory in one cell',
  }
}

/** A number that a cell must have for a guest cell, and the reason if no cell has it. */
interface Rule {
  readonly need: number
  have(cell: CellState): number
  readonly code: Reason['code']
  readonly unit: string
  readonly source?: string
}

/**
 * The first rule that no cell satisfies, with rules about totals before rules about free amounts. If each rule is satisfied by a cell, no
 * cell satisfies all of them together.
 */
function whyNoCell(cells: readonly CellState[], guest: CellAsk, isInAllFirst: boolean): Reason {
  const subject = `cell ${guest.guest}`
  const rules = rulesOf(guest)
  const inAll = isInAllFirst ? rules.filter(({ code }) => inAllCodes.includes(code) || hasNoCpus(cells, guest, code)) : []
  const lack = firstLack(cells, inAll)
  if (lack !== undefined) return { ...lack, subject }
  const noPages = isInAllFirst ? whyNoPages(cells, guest, pagesInAll) : undefined
  if (noPages !== undefined) return { ...noPages, subject }
  const short = firstLack(cells, rules)
  if (short !== undefined) return { ...short, subject }
  const pages = whyNoPages(cells, guest, pagesLeft)
  if (pages !== undefined) return { ...pages, subject }
  return cpusBesideMemory(cells, guest)
}

/** The first rule that no cell satisfies. */
function firstLack(cells: readonly CellState[], rules: readonly Rule[]): Omit<Reason, 'subject'> | undefined {
  for (const { have, ...rule } of rules) {
    const most = Math.max(...cells.map(have))
    if (most < rule.need) return { ...rule, have: most }
  }
  return undefined
}

/** Codes of rules about the totals of a cell, which do not depend on the guest's other demands. */
const inAllCodes: readonly Reason['code'][] = ['numa.too_little_memory', 'numa.too_few_dedicated', 'numa.too_few_cores']

/** Whether a rule is about shared CPUs, and no cell would have enough of them even if it were empty. */
const hasNoCpus = (cells: readonly CellState[], { shared, dedicated, emulator }: CellAsk, code: Reason['code']): boolean =>
  code === 'numa.too_few_cpus' &&
  cells.every((cell) => cell.cpuset.length - (cell.dedicated === undefined ? dedicated + emulator : 0) < shared)

function rulesOf(guest: CellAsk): readonly Rule[] {
  const own = guest.dedicated + guest.emulator
  const inAll: Rule = {
    code: 'numa.too_little_memory',
    need: guest.memoryMb,
    have: ({ limits }) => limits?.memoryMb ?? NO_LIMIT,
    unit: 'MiB',
  }
  const plain: Rule = { code: 'numa.huge_pages', need: guest.memoryMb, have: (cell) => plainLeftFor(cell, guest, false), unit: 'MiB' }
  const pinned: Rule = { code: 'numa.pinned_memory', need: guest.memoryMb, have: (cell) => plainLeftFor(cell, guest, true), unit: 'MiB' }
  const cpusInAll: Rule = { code: 'numa.too_few_cpus', need: guest.shared, have: (cell) => sharedInAll(cell, guest), unit: 'CPUs' }
  const memory: Rule = { code: 'numa.memory', need: guest.memoryMb, have: ({ memoryFree }) => memoryFree, unit: 'MiB' }
  const dedicated: Rule = { code: 'numa.dedicated_cpus', need: own, have: ownLeft, unit: 'CPUs' }
  const dedicatedInAll: Rule = { code: 'numa.too_few_dedicated', need: own, have: ({ pinnable }) => pinnable.length, unit: 'CPUs' }
  const threads: Rule = {
    code: 'numa.threads',
    need: guest.dedicated,
    have: (cell) => onWantedCores(cell.freeCpus, guest),
    unit: 'CPUs',
    source: `thread policy ${guest.threads}`,
  }
  const coresInAll: Rule = { ...threads, code: 'numa.too_few_cores', have: (cell) => onWantedCores(cell.cpusInAll, guest) }
  const shared: Rule = { code: 'numa.cpus', need: guest.shared, have: (cell) => sharedLeft(cell, guest), unit: 'CPUs' }
  return [
    memory,
    inAll,
    plain,
    ...(own > 0 ? [pinned, dedicated, dedicatedInAll] : []),
    ...(guest.threads === 'prefer' ? [] : [threads, coresInAll]),
    ...(guest.shared > 0 ? [shared, cpusInAll] : []),
  ]
}

const NO_LIMIT = Number.MAX_SAFE_INTEGER

/** The plain memory that a cell could give a guest. Unlimited if the guest's pages are huge pages or do not exist. */
function plainLeftFor(cell: CellState, guest: CellAsk, isPinned: boolean): number {
  const backing = guest.pageSize === null ? null : choosePages(cell, guest)
  return backing === undefined || isBackedByHuge(cell, backing) ? NO_LIMIT : plainMibLeft(cell, isPinned)
}

/**
 * The CPUs of a cell that are not dedicated after the guest has its dedicated CPUs. This is the largest number of shared CPUs for one
 * guest.
 */
function sharedInAll(cell: CellState, guest: CellAsk): number {
  if (cell.limits === undefined) return NO_LIMIT
  const own = cell.dedicated === undefined ? Math.max(0, cpusHeld(cell, guest)) : 0
  return Math.max(0, cell.cpuset.length - cell.freeCpus.unshared - own)
}

/** How many of a guest's CPUs a cell can still give. Dedicated CPUs are counted first. */
function cpusFor(cell: CellState, guest: CellAsk): number {
  const own = guest.dedicated + guest.emulator
  const left = Math.min(ownLeft(cell), own)
  return left < own ? left : own + Math.min(sharedLeft(cell, guest), guest.shared)
}

/** The largest number of CPUs that can be dedicated to one instance, including shared CPUs that are not needed as shared. */
function ownLeft(cell: CellState): number {
  let most = Math.max(0, cell.freeCpus.free)
  while (most > 0 && !cpusFit(cell, 0, cell.dedicated === undefined ? most : 0)) most--
  return most
}

function sharedLeft(cell: CellState, guest: CellAsk): number {
  const held = Math.max(0, cpusHeld(cell, guest))
  let most = Math.max(0, cell.cpuFree)
  while (most > 0 && !cpusAreLeft(cell, most, cell.dedicated === undefined ? held : 0)) most--
  return most
}

/** The largest number of these free CPUs that can be dedicated to a guest on cores that its thread policy allows. */
function onWantedCores(freeCpus: CellState['freeCpus'], guest: CellAsk): number {
  let most = guest.dedicated
  while (most > 0 && cpusHeld({ freeCpus }, { ...guest, dedicated: most }) < 0) most--
  return most
}

/** Which pages of a cell a rule counts: the free pages, or all pages for instances. */
interface CountedPages {
  readonly code: 'numa.pages' | 'numa.too_few_pages'
  of(cell: CellState): CellState['pages']
}

const pagesLeft: CountedPages = { code: 'numa.pages', of: ({ pages }) => pages }

const pagesInAll: CountedPages = {
  code: 'numa.too_few_pages',
  of: ({ pages, limits }) => pages?.map((page) => ({ ...page, free: limits === undefined ? NO_LIMIT : givenOf(limits.pagesGiven, page) })),
}

const givenOf = (given: NonNullable<CellState['limits']>['pagesGiven'], { sizeKib, free }: { sizeKib: number; free: number }): number =>
  given.find((one) => one.sizeKib === sizeKib)?.count ?? free

function whyNoPages(cells: readonly CellState[], guest: CellAsk, counted: CountedPages): Omit<Reason, 'subject'> | undefined {
  const { pageSize, memoryMb } = guest
  const pagesOf = cells.map((cell) => counted.of(cell))
  if (pageSize === null || pagesOf.some((pages) => choosePages({ pages }, guest) !== undefined)) return undefined
  const wanted = typeof pageSize === 'number' ? `${pageSize} KiB` : `${pageSize} pages`
  const needKib = memoryMb * 1_024
  const all = pagesOf.flatMap((pages = []) => pages.filter(({ sizeKib }, i) => isAskedFor(pageSize, sizeKib, i)))
  const whole = all.filter(({ sizeKib }) => needKib % sizeKib === 0)
  const pageSizes = [...new Set(pagesOf.flatMap((pages = []) => pages.map(({ sizeKib }) => sizeKib)))].sort((a, b) => a - b)
  if (all.length === 0)
    return {
      code: 'numa.page_size',
      need: wanted,
      have: pageSizes.length === 0 ? 'no page sizes' : pageSizes.map((size) => `${size} KiB`).join(', '),
    }
  const nearest = whole.reduce<(typeof whole)[number] | undefined>(
    (best, pages) => (best === undefined || pages.free * pages.sizeKib > best.free * best.sizeKib ? pages : best),
    undefined,
  )
  if (nearest === undefined) return { code: 'numa.page_multiple', need: all[0]?.sizeKib ?? 0, have: needKib, unit: 'KiB' }
  const { sizeKib, free } = nearest
  return { code: counted.code, need: needKib / sizeKib, have: Math.max(0, free), unit: `pages of ${sizeKib} KiB` }
}

/** Whether the guest accepts a page size. `place` is its index among the ascending page sizes of the cell. */
function isAskedFor(pageSize: NonNullable<CellAsk['pageSize']>, sizeKib: number, place: number): boolean {
  if (typeof pageSize === 'number') return sizeKib === pageSize
  if (pageSize === 'any') return true
  return (pageSize === 'small') === (place === 0)
}

function whyNotNear(hosts: HostTable, host: HostIndex, ask: NumaAsk): Reason {
  const { cells } = hosts.get(host)
  const placer = placerOf(ask)
  placer.canPlace(hosts, host, cells)
  const steps = MAX_CHOICES
  if (placer.isCut) return { code: 'numa.search_limit', subject: 'NUMA', need: `more than ${steps} steps`, have: steps, unit: 'steps' }
  const short = placer.shortNear(hosts, host, cells)
  if (short === undefined) throw new Error('a reason was requested for a host that can give what is asked')
  if (hosts.featureLevel < DEVICES_ELSEWHERE) return short
  return whatIsNotNear(hosts, host, ask, short)[0] ?? short
}

/**
 * The devices that are missing near the choice of cells with the most devices near. Returns `short` if too many choices exist to find it.
 */
function whatIsNotNear(hosts: HostTable, host: HostIndex, ask: NumaAsk, short: Reason): readonly Reason[] {
  const near = nearestChoice(hosts, host, ask, (cell, guest) => (hasRoom(cell, guest) ? [] : undefined))?.short ?? []
  return near.length > 0 ? near : [short]
}
