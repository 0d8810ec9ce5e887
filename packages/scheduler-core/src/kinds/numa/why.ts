import { type CellAsk, type CellState, choosePages, cpusAreLeft, cpusFit, cpusHeld, hasRoom } from '../../hosts/cell.ts'
import type { HostTable } from '../../hosts/hosts.ts'
import { isBackedByHuge, plainMibLeft } from '../../hosts/plain-memory.ts'
import { shareMissing } from '../../text/missing.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { DEVICES_ELSEWHERE, IN_ALL_BEFORE_FREE } from '../../values/levels.ts'
import { plainMemoryLeft, plainReserveOf } from '../classes/room.ts'
import type { NumaAsk } from './ask.ts'
import { askWithinPlain, maxPlain } from './in-all.ts'
import { MAX_CHOICES, placerOf } from './place.ts'

/**
 * The reason why a guest's cells do not fit on a host. If a guest cell fits on no host cell, the reason is what this guest cell lacks. If
 * each guest cell fits alone, but not all of them together, the reason is how many fit. Otherwise, the host lacks memory outside of huge
 * pages or devices near the cells.
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

/** The reason for a host on which the guest cells fit, but which has too little memory outside of huge pages. */
export const whyNoPlain = (hosts: HostTable, host: HostIndex, ask: NumaAsk): Reason => ({
  ...{ code: 'memory.huge_pages', subject: 'MEMORY_MB', unit: 'MiB' },
  ...{ need: maxPlain(hosts.get(host).cells, ask), have: plainMemoryLeft(hosts, host) },
  ...plainReserveOf(hosts, host, maxPlain(hosts.get(host).cells, ask)),
})

/**
 * The reason of `whyNoCells`, followed by all shortfalls that must be resolved to make the guest fit. As many guest cells as possible are
 * placed. For each remaining guest cell, the shortfalls of the host cell that needs the smallest increase are returned.
 */
export function whatCellsLack(hosts: HostTable, host: HostIndex, ask: NumaAsk): readonly Reason[] {
  const { cells } = hosts.get(host)
  const first = whyNoCells(hosts, host, ask)
  if (isNear(first)) return hosts.featureLevel < DEVICES_ELSEWHERE ? [first] : whatIsNotNear(hosts, host, ask, first)
  const near = lacksBesideDevices(hosts, host, ask)
  if (near !== undefined) return [first, ...near.lacks, ...near.short]
  const assignedCells = assignCells(ask.cells, cells)
  const left = new Set(cells.filter((cell) => !assignedCells.includes(cell)))
  const lacks = ask.cells.flatMap((guest, i) => {
    if (assignedCells[i] !== undefined) return []
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

/** At most this many choices of host cells are compared to find the choice with the most devices near it. */
const COMPARED = 100

interface NearChoice {
  /** The shortfalls of the chosen host cells for the guest cells. */
  readonly lacks: readonly Reason[]
  /** The shortfalls of devices near the chosen host cells, one for each kind of device. */
  readonly short: readonly Reason[]
  /** The ids of the chosen host cells. */
  readonly cells: readonly number[]
}

/**
 * The choice of host cells with the most devices near it, with the shortfalls of the cells and of the devices. Undefined if the guest needs
 * no near devices, or has more cells than the host.
 */
export const lacksBesideDevices = (hosts: HostTable, host: HostIndex, ask: NumaAsk): NearChoice | undefined =>
  nearestChoice(hosts, host, ask, (cell, guest) => (hasRoom(cell, guest) ? [] : whatCellLacks(cell, guest)))

/** True if a reason is about a limit that applies to each guest separately, and not to the sum of several guests. */
export const isOfOneGuest = ({ code }: Reason): boolean => code.startsWith('numa.too_')

/**
 * Of all choices of host cells, the choice near which the fewest required devices are missing. Of several such choices, the one whose cells
 * have the smallest shortfalls. `lacksOf` returns undefined for a host cell that the guest cell must not get. The result is undefined if no
 * devices must be near, or if there is no choice.
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
    // guest cells with the same needs are interchangeable, so only ascending host cells are tried for them
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
 * Assigns separate host cells to as many guest cells as possible. Guest cells without a host cell get undefined. If a later guest cell
 * needs the host cell of an earlier guest cell, the earlier one moves to another host cell on which it fits.
 */
export function assignCells(guests: readonly CellAsk[], cells: readonly CellState[]): readonly (CellState | undefined)[] {
  const assignedCells: (CellState | undefined)[] = guests.map(() => undefined)
  const assign = (g: number, seen: Set<CellState>): boolean => {
    for (const cell of cells) {
      if (seen.has(cell) || !hasRoom(cell, guests[g] as CellAsk)) continue
      seen.add(cell)
      const other = assignedCells.indexOf(cell)
      if (other >= 0 && !assign(other, seen)) continue
      assignedCells[g] = cell
      return true
    }
    return false
  }
  for (const g of guests.keys()) assign(g, new Set())
  return assignedCells
}

/** The shortfalls of a host cell for a guest cell. If each resource alone is enough, the shortfall is CPUs together with memory. */
export function whatCellLacks(cell: CellState, guest: CellAsk): readonly Reason[] {
  const subject = `cell ${guest.guest} on cell ${cell.id} of the host`
  const all = rulesOf(guest).flatMap(({ have: haveOf, ...rule }) => {
    const have = Math.max(0, haveOf(cell))
    return have < rule.need ? [{ ...rule, have }] : []
  })
  // Of the shortfalls of free memory, only the largest is returned, because resolving the largest resolves all of them.
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

/** The codes of shortfalls of free memory. */
const memoryLeft: readonly Reason['code'][] = ['numa.memory', 'numa.huge_pages', 'numa.pinned_memory']

/** For some codes, text that is added to the subject of the shortfall. */
const narrower: Readonly<Partial<Record<Reason['code'], string>>> = {
  'numa.huge_pages': ', outside of huge pages',
  'numa.pinned_memory': ', for one guest alone',
  'numa.threads': ', on the cores of the thread policy',
  'numa.too_few_cores': ', on the cores of the thread policy',
  'numa.page_size': ', sizes of memory pages',
  'numa.page_multiple': ', in whole memory pages',
}

/** The reason if no host cell has both enough CPUs and enough memory. `have` is the most CPUs that a cell with enough memory can give. */
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

/** An amount that a guest cell needs, the amount that a host cell has, and the reason code if no host cell has enough. */
interface Rule {
  readonly need: number
  have(cell: CellState): number
  readonly code: Reason['code']
  readonly unit: string
  readonly source?: string
}

/**
 * The reason why a guest cell fits on no host cell: the first rule that no host cell satisfies (with `isInAllFirst`, rules about totals come
 * first). If each rule is satisfied by some host cell, the reason is that no cell has both enough CPUs and enough memory.
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

/** The first rule that no host cell satisfies, with the largest amount that a host cell has. */
function firstLack(cells: readonly CellState[], rules: readonly Rule[]): Omit<Reason, 'subject'> | undefined {
  for (const { have, ...rule } of rules) {
    const most = Math.max(...cells.map(have))
    if (most < rule.need) return { ...rule, have: most }
  }
  return undefined
}

/** Codes of rules about totals of a host cell. The amounts that these rules compare do not depend on the guest's other needs. */
const inAllCodes: readonly Reason['code'][] = ['numa.too_little_memory', 'numa.too_few_dedicated', 'numa.too_few_cores']

/** True if the code is about shared CPUs, and even an empty host cell would have too few of them. */
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

/**
 * The memory outside of huge pages that a host cell can give a guest, in MiB. Unlimited if the guest uses huge pages, or if the host cell
 * lacks pages of the requested size. A lack of pages is reported as a separate shortfall.
 */
function plainLeftFor(cell: CellState, guest: CellAsk, isPinned: boolean): number {
  const backing = guest.pageSize === null ? null : choosePages(cell, guest)
  return backing === undefined || isBackedByHuge(cell, backing) ? NO_LIMIT : plainMibLeft(cell, isPinned)
}

/**
 * The limit for the shared CPUs of one guest: the CPUs of the host cell that are not dedicated, minus the CPUs that this guest needs as
 * dedicated CPUs.
 */
function sharedInAll(cell: CellState, guest: CellAsk): number {
  if (cell.limits === undefined) return NO_LIMIT
  const own = cell.dedicated === undefined ? Math.max(0, cpusHeld(cell, guest)) : 0
  return Math.max(0, cell.cpuset.length - cell.freeCpus.unshared - own)
}

/** How many free CPUs of a host cell a guest cell can use. Shared CPUs are counted only if all needed dedicated CPUs are free. */
function cpusFor(cell: CellState, guest: CellAsk): number {
  const own = guest.dedicated + guest.emulator
  const left = Math.min(ownLeft(cell), own)
  return left < own ? left : own + Math.min(sharedLeft(cell, guest), guest.shared)
}

/** How many CPUs of a host cell can be dedicated to one instance. CPUs that must not be pinned, so that the allocated shared CPUs fit, are not counted. */
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

/** How many of the dedicated CPUs that a guest needs can be taken from `freeCpus` on cores that its thread policy allows. */
function onWantedCores(freeCpus: CellState['freeCpus'], guest: CellAsk): number {
  let most = guest.dedicated
  while (most > 0 && cpusHeld({ freeCpus }, { ...guest, dedicated: most }) < 0) most--
  return most
}

/** The pages of a host cell that a rule counts: the free pages, or all pages that are not reserved. */
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

/** True if the guest accepts pages of `sizeKib`. `index` is the index of this size in the ascending page sizes of the host cell. */
function isAskedFor(pageSize: NonNullable<CellAsk['pageSize']>, sizeKib: number, index: number): boolean {
  if (typeof pageSize === 'number') return sizeKib === pageSize
  if (pageSize === 'any') return true
  return (pageSize === 'small') === (index === 0)
}

function whyNotNear(hosts: HostTable, host: HostIndex, ask: NumaAsk): Reason {
  const { cells } = hosts.get(host)
  const placer = placerOf(ask)
  placer.canPlace(hosts, host, cells)
  const steps = MAX_CHOICES
  if (placer.isCut) return { code: 'numa.search_limit', subject: 'NUMA', need: `more than ${steps} steps`, have: steps, unit: 'steps' }
  const short = placer.shortNear(hosts, host, cells)
  if (short === undefined) throw new Error('the reason of a refusal was requested, but the host has enough free resources')
  if (hosts.featureLevel < DEVICES_ELSEWHERE) return short
  return whatIsNotNear(hosts, host, ask, short)[0] ?? short
}

/** The shortfalls of devices near the choice of host cells with the most devices near it. Returns `short` if no such choice is found. */
function whatIsNotNear(hosts: HostTable, host: HostIndex, ask: NumaAsk, short: Reason): readonly Reason[] {
  const near = nearestChoice(hosts, host, ask, (cell, guest) => (hasRoom(cell, guest) ? [] : undefined))?.short ?? []
  return near.length > 0 ? near : [short]
}
