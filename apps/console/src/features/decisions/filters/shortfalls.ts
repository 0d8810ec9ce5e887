import { type Matrix, PASSES_ALL } from '../../../lib/explanation.ts'

/** The missing amounts of the hosts that a filter refused first, for one reason. */
export interface Shortfall {
  readonly unit: string
  readonly hosts: number
  readonly smallest: number
  readonly largest: number
  /** Adjacent ranges with equal widths. Every host is in exactly one of them. */
  readonly bins: readonly Bin[]
}

/** A range with the count of its hosts. Their missing amounts are at least `from` and less than `to`. */
export interface Bin extends Range {
  readonly hosts: number
}

export interface Range {
  readonly from: number
  readonly to: number
}

const MAX_BINS = 12
const ROUND = [1, 2, 5]
/** Units whose amounts are usually powers of two. */
const BINARY: ReadonlySet<string> = new Set(['MiB', 'GiB', 'KiB'])

export const isWithin = (amount: number, { from, to }: Range): boolean => amount > 0 && amount >= from && amount < to

/** The range in the form of the URL. */
export const printRange = ({ from, to }: Range): string => `${from}-${to}`

export function readRange(text: string): Range {
  const [from = 0, to = 0] = text.split('-').map(Number)
  return { from, to }
}

/** The missing amounts by filter and reason code, with the keys of `keyOf`. A reason that is not about an amount is absent. */
export function shortfallsOf({ hostCount, filters, codes, units, firstFailing, reason, missing }: Matrix): ReadonlyMap<string, Shortfall> {
  const amounts = new Map<string, { readonly unit: string; readonly all: number[] }>()
  for (let host = 0; host < hostCount; host++) {
    const filter = firstFailing[host] ?? PASSES_ALL
    const code = reason[host] ?? 0
    const amount = missing[host] ?? 0
    const unit = units[code]
    if (filter === PASSES_ALL || amount === 0 || unit === null || unit === undefined) continue
    const key = keyOf(filters[filter] ?? '', codes[code] ?? '')
    const known = amounts.get(key)
    if (known === undefined) amounts.set(key, { unit, all: [amount] })
    else known.all.push(amount)
  }
  return new Map([...amounts].map(([key, { unit, all }]) => [key, shortfallOf(all, unit)]))
}

export const keyOf = (filter: string, code: string): string => `${filter} ${code}`

/** Divides missing amounts into bins. There must be at least one amount, and all must be above 0. */
export function shortfallOf(amounts: readonly number[], unit: string): Shortfall {
  let smallest = Number.POSITIVE_INFINITY
  let largest = 0
  for (const amount of amounts) {
    smallest = Math.min(smallest, amount)
    largest = Math.max(largest, amount)
  }
  const width = widthFor(smallest, largest, BINARY.has(unit))
  const first = Math.floor(smallest / width)
  const counts = new Array<number>(Math.floor(largest / width) - first + 1).fill(0)
  for (const amount of amounts) {
    const index = Math.floor(amount / width) - first
    counts[index] = (counts[index] ?? 0) + 1
  }
  const bins = counts.map((hosts, i): Bin => ({ from: (first + i) * width, to: (first + i + 1) * width, hosts }))
  return { unit, hosts: amounts.length, smallest, largest, bins }
}

/**
 * The smallest round width with which MAX_BINS bins cover all amounts: 1, 2, 4, 8 ... for units in powers of two, otherwise 1, 2, 5, 10,
 * 20, 50 ...
 */
function widthFor(smallest: number, largest: number, isBinary: boolean): number {
  for (let step = 0; ; step++) {
    const width = isBinary ? 2 ** step : (ROUND[step % 3] ?? 1) * 10 ** Math.floor(step / 3)
    if (Math.floor(largest / width) - Math.floor(smallest / width) < MAX_BINS) return width
  }
}
