import { prepareChecks } from '../../pipeline/examine.ts'
import type { Reason } from '../../reason.ts'
import type { NumaCellRequest, RequestSpec } from '../../request/request-spec.ts'
import { restated } from '../../request/restated.ts'
import { numbered, withCells } from '../change-request.ts'
import { hasPages, isPaged, pageSteps } from './page-steps.ts'
import type { ProposedChange, Refusal } from './remedy.ts'
import { asked } from './wishes.ts'

/** The same guest over so many cells of the host, the fewest that do. */
export function moreCells(refusal: Refusal): ProposedChange[] {
  const { fleet, request, host } = refusal
  const [only, ...others] = request.numaTopology?.cells ?? []
  if (only === undefined || others.length > 0) return []
  const most = Math.min(fleet.hosts.get(host).cells.length, only.cpus.length, MOST_CELLS)
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

/** Cells that have more than this host's cells give are cut down to that, and the flavor with them. */
export function smallerCells(refusal: Refusal): ProposedChange[] {
  const { code, need, have } = refusal.reason
  if (pageCodes.has(code)) return smaller(refusal, memory, 1)
  const part = memoryCodes.has(code) ? memory : cpuCodes.has(code) ? cpus : undefined
  return part === undefined || typeof have !== 'number' || typeof need !== 'number' ? [] : smaller(refusal, part, need - have)
}

/** The same of memory in pages, where the flavor has more than the host. */
export const smallerPages = (refusal: Refusal): ProposedChange[] => smaller(refusal, memory, 1)

/** The greatest size of each cell with which the host passes, less by `lack` at least: memory in pages by whole pages. */
function smaller(refusal: Refusal, part: Part, lack: number): ProposedChange[] {
  const { request, reason } = refusal
  const cells = request.numaTopology?.cells ?? []
  if (cells.length === 0 || cells.some((cell) => !part.canCut(cell))) return []
  const stuck = cells.find(({ id }) => reason.subject === `cell ${id}`)
  const now = stuck === undefined ? Math.max(...cells.map(part.sizeOf)) : part.sizeOf(stuck)
  const steps = part === memory && hasPages(request) ? pageSteps(refusal) : [1]
  const sizes = steps.flatMap((step) => {
    // each cell alone may have room for so much, and all of them together only for less
    const most = Math.floor(Math.min(now - 1, now - lack) / step)
    const count = greatest(most, (one) => passes(refusal, part.cut(request, one * step, step)))
    return count === undefined ? [] : [{ size: count * step, step }]
  })
  const [best] = sizes.toSorted((one, other) => other.size - one.size)
  return best === undefined ? [] : [smallerBy(part, now, best.size, best.step)]
}

const smallerBy = (part: Part, now: number, size: number, step: number): ProposedChange => ({
  ...asked(`${part.name} of each NUMA cell`, `${now}${part.unit}`, `${size}${part.unit}`, 1 + (4 * (now - size)) / now, (one) =>
    part.cut(one, size, step),
  ),
  number: {
    from: now,
    to: size,
    step,
    at: (other) => smallerBy(part, now, Math.max(step, other - (other % step)), step),
    of: ({ numaTopology }) => {
      const most = Math.max(0, ...(numaTopology?.cells ?? []).map(part.sizeOf))
      return most > size ? smallerBy(part, most, size, step) : undefined
    },
  },
})

/** A guest of more cells asks for a machine of its own. */
const MOST_CELLS = 4

const memoryCodes: ReadonlySet<string> = new Set(['numa.memory', 'numa.too_little_memory', 'numa.huge_pages', 'numa.pinned_memory'])
const pageCodes: ReadonlySet<string> = new Set(['numa.pages', 'numa.page_multiple'])
const cpuCodes: ReadonlySet<string> = new Set(['numa.cpus', 'numa.too_few_cpus', 'numa.dedicated_cpus', 'numa.no_cell'])

interface Part {
  readonly name: string
  readonly unit: string
  sizeOf(cell: NumaCellRequest): number
  canCut(cell: NumaCellRequest): boolean
  /** No cell is larger than the size; one in pages has a multiple of the step. */
  cut(request: RequestSpec, size: number, step: number): RequestSpec
}

const memory: Part = {
  name: 'memory',
  unit: ' MiB',
  sizeOf: ({ memoryMb }) => memoryMb,
  canCut: () => true,
  cut(request, size, step) {
    const sizeOf = (cell: NumaCellRequest): number => {
      const least = Math.min(size, cell.memoryMb)
      return isPaged(cell) ? least - (least % step) : least
    }
    const cells = request.numaTopology?.cells.map((cell) => ({ ...cell, memoryMb: sizeOf(cell) })) ?? []
    const { flavor } = request
    return withCells(restated(request, { flavor: { ...flavor, memoryMb: inFlavor(flavor.memoryMb, request, cells, memory) } }), cells)
  },
}

const cpus: Part = {
  name: 'CPUs',
  unit: '',
  sizeOf: (cell) => cell.cpus.length,
  // which of the CPUs of a mixed cell go is for the caller to say
  canCut: ({ cpuPolicy }) => cpuPolicy !== 'mixed',
  cut(request, size) {
    const cells = numbered(request.numaTopology?.cells.map((cell) => ({ ...cell, cpus: cell.cpus.slice(0, size) })) ?? [])
    const { flavor } = request
    return withCells(restated(request, { flavor: { ...flavor, vcpus: inFlavor(flavor.vcpus, request, cells, cpus) } }), cells)
  },
}

/** What the flavor asks in all once its cells are cut: less by as much, and never less than they have or more than before. */
function inFlavor(amount: number, { numaTopology }: RequestSpec, cells: readonly NumaCellRequest[], { sizeOf }: Part): number {
  const totalOf = (all: readonly NumaCellRequest[]): number => all.reduce((sum, cell) => sum + sizeOf(cell), 0)
  const left = totalOf(cells)
  return Math.min(amount, Math.max(left, amount - (totalOf(numaTopology?.cells ?? []) - left)))
}

/** The cell as so many, as even as they can be. */
function parted(cell: NumaCellRequest, count: number): NumaCellRequest[] {
  const share = (total: number, place: number): number => Math.floor((total * (place + 1)) / count) - Math.floor((total * place) / count)
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

/** Whether the filter lets the host through with this request. */
const passes = (refusal: Refusal, request: RequestSpec): boolean => reasonWith(refusal, request) === undefined

/** Whether the filter lets the host through with this request, or refuses it for something else. */
export function answers(refusal: Refusal, request: RequestSpec): boolean {
  const reason = reasonWith(refusal, request)
  return reason?.code !== refusal.reason.code || reason.subject !== refusal.reason.subject
}

/** The greatest number up to `most` that will do, where every smaller one does too. */
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
