import type { Reason } from '../../filters/filter.ts'
import { prepareChecks } from '../../pipeline/examine.ts'
import type { NumaCellRequest, RequestSpec } from '../../request/request-spec.ts'
import { numbered, restated, withCells } from '../change-request.ts'
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
  const { request, reason } = refusal
  const cells = request.numaTopology?.cells ?? []
  const stuck = cells.find(({ id }) => reason.subject === `cell ${id}`) ?? cells[0]
  if (stuck === undefined || typeof reason.have !== 'number' || typeof reason.need !== 'number') return []
  if (reason.code === 'numa.pages') return fewerPages(refusal, stuck, { need: reason.need, have: reason.have })
  const part = memoryCodes.has(reason.code) ? memory : cpuCodes.has(reason.code) ? cpus : undefined
  if (part === undefined || cells.some((cell) => !part.canCut(cell))) return []
  const now = part.sizeOf(stuck)
  // each cell alone may have room for so much, and all of them together only for less
  const size = greatest(Math.min(now - 1, now - (reason.need - reason.have)), (one) => passes(refusal, part.cut(request, one)))
  if (size === undefined) return []
  return [smallerBy(part, now, size)]
}

/** Memory of as many of its pages as a cell has left. */
function fewerPages(refusal: Refusal, stuck: NumaCellRequest, pages: { readonly need: number; readonly have: number }): ProposedChange[] {
  const { request } = refusal
  const sizeOf = (count: number): number => Math.floor((stuck.memoryMb * count) / pages.need)
  const left = greatest(
    Math.min(pages.have, pages.need - 1),
    (count) => sizeOf(count) > 0 && passes(refusal, memory.cut(request, sizeOf(count))),
  )
  return left === undefined ? [] : [smallerBy(memory, stuck.memoryMb, sizeOf(left))]
}

const smallerBy = (part: Part, now: number, size: number): ProposedChange => ({
  ...asked(`${part.name} of each NUMA cell`, `${now}${part.unit}`, `${size}${part.unit}`, 1 + (4 * (now - size)) / now, (one) =>
    part.cut(one, size),
  ),
  number: {
    from: now,
    to: size,
    at: (other) => smallerBy(part, now, other),
    of: ({ numaTopology }) => {
      const most = Math.max(0, ...(numaTopology?.cells ?? []).map(part.sizeOf))
      return most > size ? smallerBy(part, most, size) : undefined
    },
  },
})

/** A guest of more cells asks for a machine of its own. */
const MOST_CELLS = 4

const memoryCodes: ReadonlySet<string> = new Set(['numa.memory', 'numa.too_little_memory', 'numa.huge_pages', 'numa.pinned_memory'])
const cpuCodes: ReadonlySet<string> = new Set(['numa.cpus', 'numa.too_few_cpus', 'numa.dedicated_cpus', 'numa.no_cell'])

interface Part {
  readonly name: string
  readonly unit: string
  sizeOf(cell: NumaCellRequest): number
  canCut(cell: NumaCellRequest): boolean
  cut(request: RequestSpec, size: number): RequestSpec
}

const memory: Part = {
  name: 'memory',
  unit: ' MiB',
  sizeOf: ({ memoryMb }) => memoryMb,
  canCut: () => true,
  cut(request, size) {
    const cells = request.numaTopology?.cells.map((cell) => ({ ...cell, memoryMb: Math.min(size, cell.memoryMb) })) ?? []
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
