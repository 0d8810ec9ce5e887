import { restated } from '../../../contracts/restated.ts'
import { prepareChecks } from '../../../examine/examine.ts'
import type { NumaCellRequest, RequestSpec } from '../../../request/request-spec.ts'
import type { Reason } from '../../../text/reason.ts'
import { numbered, withCells } from '../change-request.ts'
import { hasPages, isPaged, pageRanges, pageSteps } from './page-steps.ts'
import type { NumberRange, ProposedChange, Refusal } from './remedy.ts'
import { asked } from './wishes.ts'

/** If the guest has a single NUMA cell: proposes to split it into the smallest count of cells with which the guest fits on the host. */
export function moreCells(refusal: Refusal): ProposedChange[] {
  const { fleet, request, host } = refusal
  const [only, ...others] = request.numaTopology?.cells ?? []
  if (only === undefined || others.length > 0) return []
  const most = Math.min(fleet.hosts.get(host).cells.length, only.cpus.length, MAX_CELLS)
  for (let count = 2; count <= most; count++) {
    const change = overCells(count)
    if (passes(refusal, change.request(request))) return [change]
  }
  return []
}

function overCells(count: number) {
  const request = (one: RequestSpec): RequestSpec => withCells(one, one.numaTopology?.cells.flatMap((cell) => parted(cell, count)) ?? [])
  return {
    ...asked('NUMA topology', '1 cell', `${count} cells`, 3, request),
    request,
    gives: ['numaTopology.cells'],
    number: { from: 1, to: count, at: overCells },
  }
}

/**
 * Proposes to reduce the memory or the CPUs of the guest's cells so that they fit on this host. The flavor is reduced by the same amount.
 */
export function smallerCells(refusal: Refusal): ProposedChange[] {
  const { code, need, have } = refusal.reason
  if (pageCodes.has(code)) return smaller(refusal, memory, 1)
  // each guest cell fits alone, but not all together, so smaller memory and fewer CPUs can both help
  if (togetherCodes.has(code)) return [...smaller(refusal, memory, 1), ...smaller(refusal, cpus, 1)]
  const part = memoryCodes.has(code) ? memory : cpuCodes.has(code) ? cpus : undefined
  return part === undefined || typeof have !== 'number' || typeof need !== 'number' ? [] : smaller(refusal, part, need - have)
}

/** For a guest with memory in pages whose flavor needs too much memory: proposes to reduce the memory of its cells by whole pages. */
export const smallerPages = (refusal: Refusal): ProposedChange[] => smaller(refusal, memory, 1)

/**
 * Proposes smaller guest cells: the largest size for all cells with which the filter passes the host, at least `lack` below the present
 * size. Also proposes, for each cell, to reduce only this cell to the largest size with which the filter passes the host. For the guest
 * cell that the reason names, also proposes the largest size with which the filter no longer refuses the host because of this cell. Memory
 * in pages is reduced by whole pages.
 */
function smaller(refusal: Refusal, part: Part, lack: number): ProposedChange[] {
  const { request, reason } = refusal
  const cells = request.numaTopology?.cells ?? []
  if (cells.length === 0 || cells.some((cell) => !part.canCut(cell))) return []
  const stuck = cells.findIndex(({ id }) => reason.subject === `cell ${id}`)
  const greatestSize = Math.max(...cells.map(part.sizeOf))
  // the upper bound of the search: with this size each cell can fit alone, but all cells together can need a smaller size
  const most = Math.min(greatestSize - 1, (stuck < 0 ? greatestSize : part.sizeOf(cells[stuck] as NumaCellRequest)) - lack)
  const lets = (one: RequestSpec) => passes(refusal, one)
  const among = part === memory ? pageRanges(refusal) : undefined
  return [
    ...cutBy(refusal, part, { cells, only: null, among }, most, lets),
    ...singlesOf(cells).flatMap((only) => {
      const less = part.sizeOf(cells[only] as NumaCellRequest) - 1
      const enough = cutBy(refusal, part, { cells, only, among }, less, lets)
      const first = only === stuck ? cutBy(refusal, part, { cells, only, among }, less, (one) => answers(refusal, one)) : []
      return [...enough, ...first.filter(({ to }) => enough.every((change) => change.to !== to))]
    }),
  ]
}

/**
 * For several instances: proposes the smallest sizes of guest cells. If these suffice, the search looks for the largest sizes with which
 * all instances fit.
 */
export function minCells({ fleet, host, request, reason: { code } }: Refusal): ProposedChange[] {
  const cells = request.numaTopology?.cells ?? []
  const isTogether = togetherCodes.has(code)
  const ofMemory = isTogether || memoryCodes.has(code) || pageCodes.has(code) || code.startsWith('memory.')
  const ofCpus = isTogether || cpuCodes.has(code)
  return [...(ofMemory ? [memory] : []), ...(ofCpus ? [cpus] : [])].flatMap((part) => {
    if (cells.length === 0 || cells.some((cell) => !part.canCut(cell))) return []
    const steps = part === memory && hasPages(request) ? pageSteps({ fleet, host, request }) : [1]
    const among = part === memory ? pageRanges({ fleet, request }) : undefined
    return [null, ...singlesOf(cells)].flatMap((only) =>
      steps.flatMap((step) =>
        (only === null ? cells : cells.slice(only, only + 1)).some((cell) => part.sizeOf(cell) > step)
          ? [smallerBy(part, { cells, only, among }, step, step)]
          : [],
      ),
    )
  })
}

/**
 * The indexes of the guest cells that are reduced separately. Empty if there is only one cell. Cells of equal size are all listed, because
 * cells are placed in order, so it can matter which of them is reduced.
 */
const singlesOf = (cells: readonly NumaCellRequest[]): readonly number[] => (cells.length === 1 ? [] : cells.map((_, i) => i))

const askedBy = ({ id: _, cpus: own, dedicatedCpus, ...asked }: NumaCellRequest): string =>
  JSON.stringify([own.length, dedicatedCpus.length, asked])

/** All cells of a guest, or the cell with the index `only`. */
interface SomeCells {
  readonly cells: readonly NumaCellRequest[]
  readonly only: number | null
  /** The sizes that hosts allow. Absent if every host allows all sizes. */
  readonly among?: readonly NumberRange[] | undefined
}

function cutBy(refusal: Refusal, part: Part, some: SomeCells, most: number, isGood: (request: RequestSpec) => boolean): ProposedChange[] {
  const { request } = refusal
  const steps = part === memory && hasPages(request) ? pageSteps(refusal) : [1]
  const sizes = steps.flatMap((step) => {
    const count = greatest(Math.floor(most / step), (one) => isGood(part.cut(request, one * step, step, some.only)))
    return count === undefined ? [] : [{ size: count * step, step }]
  })
  const [best] = sizes.toSorted((one, other) => other.size - one.size)
  return best === undefined ? [] : [smallerBy(part, some, best.size, best.step)]
}

function smallerBy(part: Part, { cells, only, among }: SomeCells, size: number, step: number): ProposedChange {
  const cell = only === null ? undefined : cells[only]
  const now = cell === undefined ? Math.max(...cells.map(part.sizeOf)) : part.sizeOf(cell)
  const which = cell === undefined ? 'each NUMA cell' : `NUMA cell ${cell.id}`
  const lowered = cells.flatMap((one, i) => ((only ?? i) === i && part.sizeOf(one) > size ? [[`${part.name} ${i}`, size] as const] : []))
  return {
    ...asked(`${part.name} of ${which}`, `${now}${part.unit}`, `${size}${part.unit}`, 1 + (4 * (now - size)) / now, (one) =>
      part.cut(one, size, step, only),
    ),
    lowers: Object.fromEntries(lowered),
    ...(cell !== undefined && { alike: `${part.name} of ${askedBy(cell)}` }),
    number: {
      from: now,
      to: size,
      step,
      ...(among !== undefined && { among }),
      at: (other, by = step) => smallerBy(part, { cells, only, among }, Math.max(by, other - (other % by)), by),
      of: ({ numaTopology }) => {
        const others = numaTopology?.cells ?? []
        const maxNow = Math.max(0, ...(only === null ? others : others.slice(only, only + 1)).map(part.sizeOf))
        return maxNow > size ? smallerBy(part, { cells: others, only, among }, size, step) : undefined
      },
    },
  }
}

/** A guest is split into at most this many cells, because a guest with more cells needs an exceptional host. */
const MAX_CELLS = 4

const memoryCodes: ReadonlySet<string> = new Set(['numa.memory', 'numa.too_little_memory', 'numa.huge_pages', 'numa.pinned_memory'])
const pageCodes: ReadonlySet<string> = new Set(['numa.pages', 'numa.too_few_pages', 'numa.page_multiple'])
const togetherCodes: ReadonlySet<string> = new Set(['numa.no_match', 'numa.missed'])
const cpuCodes: ReadonlySet<string> = new Set([
  'numa.cpus',
  'numa.too_few_cpus',
  'numa.too_few_dedicated',
  'numa.dedicated_cpus',
  'numa.no_cell',
])

interface Part {
  readonly name: string
  readonly unit: string
  sizeOf(cell: NumaCellRequest): number
  canCut(cell: NumaCellRequest): boolean
  /** Reduces all cells, or the cell `only`, to at most `size`. The memory of a cell in pages is rounded down to a multiple of `step`. */
  cut(request: RequestSpec, size: number, step: number, only: number | null): RequestSpec
}

const memory: Part = {
  name: 'memory',
  unit: ' MiB',
  sizeOf: ({ memoryMb }) => memoryMb,
  canCut: () => true,
  cut(request, size, step, only) {
    const sizeOf = (cell: NumaCellRequest, i: number): number => {
      if ((only ?? i) !== i) return cell.memoryMb
      const least = Math.min(size, cell.memoryMb)
      return isPaged(cell) ? least - (least % step) : least
    }
    const cells = request.numaTopology?.cells.map((cell, i) => ({ ...cell, memoryMb: sizeOf(cell, i) })) ?? []
    const { flavor } = request
    return withCells(restated(request, { flavor: { ...flavor, memoryMb: inFlavor(flavor.memoryMb, request, cells, memory) } }), cells)
  },
}

const cpus: Part = {
  name: 'CPUs',
  unit: '',
  sizeOf: (cell) => cell.cpus.length,
  // in a cell with the policy `mixed`, only the caller knows which CPUs can be removed
  canCut: ({ cpuPolicy }) => cpuPolicy !== 'mixed',
  cut(request, size, _step, only) {
    const cut = (cell: NumaCellRequest, i: number) => ((only ?? i) === i ? { ...cell, cpus: cell.cpus.slice(0, size) } : cell)
    const cells = numbered(request.numaTopology?.cells.map(cut) ?? [])
    const { flavor } = request
    return withCells(restated(request, { flavor: { ...flavor, vcpus: inFlavor(flavor.vcpus, request, cells, cpus) } }), cells)
  },
}

/**
 * The amount of the flavor after the guest's cells were reduced: the old amount minus the reduction, but at least the sum of the cells, and
 * at most the old amount.
 */
function inFlavor(amount: number, { numaTopology }: RequestSpec, cells: readonly NumaCellRequest[], { sizeOf }: Part): number {
  const totalOf = (all: readonly NumaCellRequest[]): number => all.reduce((sum, cell) => sum + sizeOf(cell), 0)
  const left = totalOf(cells)
  return Math.min(amount, Math.max(left, amount - (totalOf(numaTopology?.cells ?? []) - left)))
}

/** Splits a guest cell into `count` cells, as evenly as possible. */
function parted(cell: NumaCellRequest, count: number): NumaCellRequest[] {
  const share = (total: number, index: number): number => Math.floor((total * (index + 1)) / count) - Math.floor((total * index) / count)
  let from = 0
  return Array.from({ length: count }, (_, id) => {
    const own = cell.cpus.slice(from, from + share(cell.cpus.length, id))
    from += own.length
    return {
      ...cell,
      id,
      cpus: own,
      memoryMb: share(cell.memoryMb, id),
      dedicatedCpus: cell.dedicatedCpus.filter((cpu) => own.includes(cpu)),
    }
  })
}

const reasonWith = ({ fleet, profile, host, filter }: Refusal, request: RequestSpec): Reason | undefined =>
  prepareChecks(fleet, request, profile)
    .checksOf(host)
    .find((check) => check.filter === filter && check.reason !== undefined)?.reason

/** True if the filter of the refusal passes the host for this request. */
const passes = (refusal: Refusal, request: RequestSpec): boolean => reasonWith(refusal, request) === undefined

/** True if, for this request, the filter passes the host or refuses it with another code or subject. */
export function answers(refusal: Refusal, request: RequestSpec): boolean {
  const reason = reasonWith(refusal, request)
  return reason?.code !== refusal.reason.code || reason.subject !== refusal.reason.subject
}

/** The largest size up to `most` that is good, found by binary search. Every size below a good size must be good too. */
export function greatest(most: number, isGood: (size: number) => boolean): number | undefined {
  if (most < 1) return undefined
  if (isGood(most)) return most
  let good = 0
  let bad = most
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (isGood(middle)) good = middle
    else bad = middle
  }
  return good > 0 ? good : undefined
}
