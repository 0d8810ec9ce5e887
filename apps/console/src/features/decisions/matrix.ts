import { type Matrix, PASSES_ALL } from '../../lib/explanation.ts'
import { formatPercent, formatShare } from '../../lib/format.ts'
import { isWithin, readRange } from './filters/shortfalls.ts'

/**
 * A filter's verdict on a host. `skipped`: an earlier filter refused the host, so the filter was not evaluated or its verdict is not shown.
 */
export type Verdict = 'pass' | 'fail' | 'skipped'

/**
 * Returns a function that finds the index of a host in the matrix by the name of the host. The hosts of the matrix are in the order in
 * which they first reported. Names are indexed at the first call. For an unknown name the function returns the count of hosts, so that the
 * name is sorted last.
 */
export function seenBefore({ hostCount, nameOf }: Pick<Matrix, 'hostCount' | 'nameOf'>): (name: string) => number {
  let places: Map<string, number> | undefined
  return (name) => {
    places ??= new Map(Array.from({ length: hostCount }, (_, host) => [nameOf(host), host]))
    return places.get(name) ?? hostCount
  }
}

/** Conditions that select hosts of the matrix. A selected host meets all of them. */
export interface Selection {
  /** The first filter that refuses the host. */
  readonly filter?: string | undefined
  readonly reason?: string | undefined
  /** Only with `filter`: the amount that is missing on the host is in this range. `1024-2048` means at least 1024 and less than 2048. */
  readonly short?: string | undefined
  /** The only filter that refuses the host. */
  readonly sole?: string | undefined
  /** All filters that refuse the host. */
  readonly combo?: string | undefined
  readonly passed?: string | undefined
  /** A part of the host's name, ignoring upper and lower case. */
  readonly find?: string | undefined
}

/** The indexes of the selected hosts, in the order in which the hosts first reported. */
export function selectHosts(matrix: Matrix, { filter, reason, short, sole, combo, passed, find }: Selection): number[] {
  const first = filter === undefined ? undefined : matrix.filters.indexOf(filter)
  const code = reason === undefined ? undefined : matrix.codes.indexOf(reason)
  const alone = sole === undefined ? undefined : matrix.filters.indexOf(sole)
  const range = short === undefined ? undefined : readRange(short)
  const part = find?.toLowerCase()
  const hosts: number[] = []
  for (let host = 0; host < matrix.hostCount; host++) {
    if (first !== undefined && matrix.firstFailing[host] !== first) continue
    if (code !== undefined && matrix.reason[host] !== code) continue
    if (range !== undefined && !isWithin(matrix.missing[host] ?? 0, range)) continue
    if (passed !== undefined && matrix.firstFailing[host] !== PASSES_ALL) continue
    if (alone !== undefined && comboOf(matrix, host).join() !== String(alone)) continue
    if (combo !== undefined && comboName(matrix, comboOf(matrix, host)) !== combo) continue
    if (part !== undefined && !matrix.nameOf(host).toLowerCase().includes(part)) continue
    hosts.push(host)
  }
  return hosts
}

/** The indexes of all filters that refuse a host. */
function comboOf(matrix: Matrix, host: number): number[] {
  return matrix.filters.flatMap((_, filter) => (matrix.refuses(host, filter) ? [filter] : []))
}

const comboName = ({ filters }: Matrix, combo: readonly number[]): string => combo.map((filter) => filters[filter]).join()

/** Hosts in the requested order: nearest first, best first, or by name. With best first, hosts without a rank are last, nearest first. */
export function sortHosts(matrix: Matrix, hosts: readonly number[], sort: 'distance' | 'rank' | 'name'): number[] {
  const of = (column: ArrayLike<number>, host: number): number => column[host] ?? 0
  const rank = (host: number): number => of(matrix.rank, host) || Number.POSITIVE_INFINITY
  const byRank = (a: number, b: number): number => (rank(a) === rank(b) ? 0 : rank(a) - rank(b))
  const byDistance = (a: number, b: number): number => of(matrix.distance, a) - of(matrix.distance, b)
  const byName = (a: number, b: number): number => (matrix.nameOf(a) < matrix.nameOf(b) ? -1 : 1)
  const first = sort === 'name' ? byName : sort === 'rank' ? byRank : byDistance
  return [...hosts].sort((a, b) => first(a, b) || byDistance(a, b) || byRank(a, b) || a - b)
}

export interface Combo {
  readonly filters: readonly string[]
  /** The name of the combination in URLs: the names of its filters. */
  readonly name: string
  readonly hosts: number
}

/** The combinations of filters that refuse the same hosts. The combination with the most hosts comes first. */
export function countCombos(matrix: Matrix): Combo[] {
  const counts = new Map<string, { filters: readonly string[]; hosts: number }>()
  for (let host = 0; host < matrix.hostCount; host++) {
    if (matrix.firstFailing[host] === PASSES_ALL) continue
    const combo = comboOf(matrix, host)
    const name = comboName(matrix, combo)
    const known = counts.get(name)
    if (known === undefined) counts.set(name, { filters: combo.map((filter) => matrix.filters[filter] ?? ''), hosts: 1 })
    else known.hosts++
  }
  return [...counts].map(([name, { filters, hosts }]) => ({ name, filters, hosts })).sort((a, b) => b.hosts - a.hosts)
}

/** A filter of the matrix: its index, and whether it is only evaluated on hosts that pass all other filters. */
export interface FilterPlace {
  readonly name: string
  readonly index: number
  readonly isNet: boolean
}

/** A filter's verdict on a host. Without `all`, only filters up to the first that refuses the host have a verdict. */
export function verdictAt(matrix: Matrix, host: number, { index: filter, isNet }: FilterPlace, all: boolean): Verdict {
  const first = matrix.firstFailing[host] ?? PASSES_ALL
  if (all && isNet && first < filter) return 'skipped'
  if (all) return matrix.refuses(host, filter) ? 'fail' : 'pass'
  return filter < first ? 'pass' : filter === first ? 'fail' : 'skipped'
}

/** Short names of filters or weighers: the last word is removed if all names have it in common. */
export const shortNames = (names: readonly string[]): string[] => shortWords(names).map((words) => words.join(''))

/**
 * Names for the headings of narrow columns. A name has at most two lines of `letters` letters, separated by a blank at which the browser
 * breaks the line.
 */
export const headNames = (names: readonly string[], letters: number): string[] =>
  shortWords(names).map((words) => {
    const half = Math.ceil(words.length / 2)
    const lines = [words.slice(0, half), words.slice(half)].filter((line) => line.length > 0)
    return lines.map((line) => cutLine(line, letters)).join(' ')
  })

/** Shortens a line. A single long word is cut, and ends with a dot. If there are several words, each is shortened: `AggrInst`. */
function cutLine(words: readonly string[], letters: number): string {
  const line = words.join('')
  if (line.length <= letters) return line
  if (words.length === 1) return `${line.slice(0, letters - 1)}.`
  return words.map((word) => word.slice(0, Math.floor(letters / words.length))).join('')
}

/** Splits names into words, and removes the last word if all names share it. */
function shortWords(names: readonly string[]): string[][] {
  const words = names.map((name) => name.split(/(?<=[a-z])(?=[A-Z])|(?=[A-Z][a-z])/))
  const last = words[0]?.at(-1)
  const isShared = words.length > 1 && words.every((one) => one.length > 1 && one.at(-1) === last)
  return words.map((one) => (isShared ? one.slice(0, -1) : one))
}

/** How many filters refuse a host if all filters are evaluated. */
export const countRefusals = (matrix: Matrix, host: number): number => comboOf(matrix, host).length

/** The amount that the service adds to a distance for each further refusal, so that hosts with fewer refusals are first. */
const STEP = 0.001

/**
 * The largest shortfall of a refused host as a share of the needed amount, such as `2.3 %`. It is `100 %` if the check is not about
 * amounts.
 */
export function shortfallText(matrix: Matrix, host: number): string {
  const share = (matrix.distance[host] ?? 0) - STEP * Math.max(0, countRefusals(matrix, host) - 1)
  const percent = Math.max(0, share * 100)
  return percent < 9.95 ? formatShare(percent / 100) : formatPercent(percent)
}

/**
 * All hosts, grouped by the first filter that refuses them. Hosts that pass form the last group. Within a group, hosts with the smallest
 * distance come first.
 */
export function groupByFirst(matrix: Matrix): { readonly hosts: readonly number[]; readonly starts: readonly number[] } {
  const first = (host: number): number => matrix.firstFailing[host] ?? PASSES_ALL
  const hosts = sortHosts(matrix, [...Array(matrix.hostCount).keys()], 'distance').sort((a, b) => first(a) - first(b))
  const starts = hosts.flatMap((host, index) => (index === 0 || first(host) !== first(hosts[index - 1] ?? 0) ? [index] : []))
  return { hosts, starts }
}

/** At most `most` names of hosts that contain the text, ignoring upper and lower case. */
export function findNames(matrix: Matrix, text: string, most = 12): string[] {
  const part = text.toLowerCase()
  const names: string[] = []
  for (let host = 0; host < matrix.hostCount && names.length < most; host++) {
    const name = matrix.nameOf(host)
    if (name.toLowerCase().includes(part)) names.push(name)
  }
  return names
}
