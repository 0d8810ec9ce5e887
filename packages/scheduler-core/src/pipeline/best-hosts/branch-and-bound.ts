import type { HostIndex } from '../../values/host-index.ts'
import type { TieOrder } from '../weighing/pick.ts'
import type { Ranked } from './best-hosts.ts'
import { MOST_PER_LEAF } from './host-order.ts'
import { PASSES, type RequestClass } from './request-class.ts'
import type { Term } from './score-table.ts'

export interface Search extends Ranked {
  /** The total of a host that passes. Valid until the fleet changes. */
  totalOf(host: HostIndex): number
}

/**
 * Finds the `count` best hosts of a class without examining every host: a node of the tree is examined only if the greatest total that its
 * bounds allow can be among the best (branch and bound). The bound is computed by the operations of the score in the same order. Rounding is
 * monotone, so no total of a host in the node exceeds it, to the last bit. Undefined if a score of a host that passes is not finite.
 * `isByIndex` is true if `tieOrder` is the order of the indexes.
 */
export function findBest(
  known: RequestClass,
  terms: readonly Term[],
  count: number,
  tieOrder: TieOrder,
  isByIndex: boolean,
): Search | undefined {
  if (known.passed === 0) return { hosts: [], totals: [], tied: 0, totalOf: () => 0 }
  const addends = addendsOf(known, terms)
  if (addends === undefined) return undefined
  const { order, passing, first } = known
  const best = new Best(count, tieOrder)
  const nodes: number[] = [1]
  const bounds: number[] = [boundOf(known, addends, 1)]
  while (nodes.length > 0) {
    const node = nodes.pop() as number
    const bound = bounds.pop() as number
    if (best.isFull && (bound < best.lastTotal || (isByIndex && bound === best.lastTotal && (first[node] as number) > best.lastKey)))
      continue
    if (node >= order.leaves) {
      const found = totalsOf(known, addends, node - order.leaves)
      for (let i = 0; i < found; i++) best.add(leafHosts[i] as HostIndex, leafTotals[i] as number)
      continue
    }
    const [one, other] = [2 * node, 2 * node + 1]
    if (passing[one] === 0 || passing[other] === 0) {
      const left = passing[one] === 0 ? other : one
      nodes.push(left)
      bounds.push(boundOf(known, addends, left))
      continue
    }
    const ofOne = boundOf(known, addends, one)
    const ofOther = boundOf(known, addends, other)
    // the child that is examined first is pushed last
    if (ofOne > ofOther || (ofOne === ofOther && (first[one] as number) < (first[other] as number))) {
      nodes.push(other, one)
      bounds.push(ofOther, ofOne)
    } else {
      nodes.push(one, other)
      bounds.push(ofOne, ofOther)
    }
  }
  const { hosts, totals } = best
  return { hosts, totals, tied: countTied(known, addends, totals, count), totalOf: (host) => totalOf(addends, host) }
}

/** The best hosts so far, in order. */
class Best {
  readonly hosts: HostIndex[] = []
  readonly totals: number[] = []
  readonly #keys: number[] = []
  readonly #count: number
  readonly #tieOrder: TieOrder
  isFull = false
  /** The total and the key of the last of the best hosts, once there are as many as are wanted. */
  lastTotal = Number.NEGATIVE_INFINITY
  lastKey = 0

  constructor(count: number, tieOrder: TieOrder) {
    this.#count = count
    this.#tieOrder = tieOrder
  }

  /** Inserts a host, unless there are as many better ones as are wanted. */
  add(host: HostIndex, total: number): void {
    if (total < this.lastTotal) return
    const key = this.#tieOrder(host)
    if (this.isFull && total === this.lastTotal && key > this.lastKey) return
    const { hosts, totals } = this
    const keys = this.#keys
    let at = this.isFull ? this.#count - 1 : hosts.length
    for (; at > 0; at--) {
      const before = totals[at - 1] as number
      if (before > total || (before === total && (keys[at - 1] as number) < key)) break
      hosts[at] = hosts[at - 1] as HostIndex
      totals[at] = before
      keys[at] = keys[at - 1] as number
    }
    hosts[at] = host
    totals[at] = total
    keys[at] = key
    if (hosts.length < this.#count) return
    this.isFull = true
    this.lastTotal = totals[this.#count - 1] as number
    this.lastKey = keys[this.#count - 1] as number
  }
}

/** A term of the total score, with the bounds of this request. */
interface Addend {
  readonly list: number
  readonly scores: Float64Array
  readonly multiplier: number
  /** -1 if all hosts have the same multiplier. */
  readonly multiplierList: number
  readonly multipliers: Float64Array | undefined
  /** For the normalisation `minmax`. With `fixed`, raw scores are added unchanged. */
  readonly isScaled: boolean
  readonly min: number
  readonly range: number
}

/** Undefined if a score of a host that passes is not finite, or if a total could be too large for a number. */
function addendsOf({ table, least, greatest }: RequestClass, terms: readonly Term[]): readonly Addend[] | undefined {
  const lists = table.scores.length
  for (let list = 0; list < lists; list++) {
    const width = (greatest[lists + list] as number) - (least[lists + list] as number)
    if (width - width !== 0) return undefined
  }
  const size = (list: number): number => Math.max(Math.abs(least[lists + list] as number), Math.abs(greatest[lists + list] as number))
  const addends: Addend[] = []
  let most = 0
  for (const { step, raw, multiplier: multiplierList } of terms) {
    const { minval, normalisation, multiplier } = step
    const isScaled = normalisation === 'minmax'
    most += (multiplierList === undefined ? Math.abs(multiplier) : size(multiplierList)) * (isScaled ? 1 : size(raw))
    const min = Math.min(minval ?? Number.POSITIVE_INFINITY, least[lists + raw] as number)
    const max = greatest[lists + raw] as number
    // all normalised scores are 0
    if (isScaled && max === min) continue
    addends.push({
      list: raw,
      scores: table.scores[raw] as Float64Array,
      multiplier,
      multiplierList: multiplierList ?? -1,
      multipliers: multiplierList === undefined ? undefined : (table.scores[multiplierList] as Float64Array),
      isScaled,
      min,
      range: max - min,
    })
  }
  return Number.isFinite(most) ? addends : undefined
}

function totalOf(addends: readonly Addend[], host: HostIndex): number {
  let total = 0
  for (let i = 0; i < addends.length; i++) {
    const { scores, multipliers, multiplier, isScaled, min, range } = addends[i] as Addend
    const raw = scores[host] as number
    total += (multipliers === undefined ? multiplier : (multipliers[host] as number)) * (isScaled ? (raw - min) / range : raw)
  }
  return total
}

/** The hosts of a leaf that pass, and their totals. They are valid until the next call of `totalsOf`. */
const leafHosts = new Int32Array(MOST_PER_LEAF)
const leafTotals = new Float64Array(MOST_PER_LEAF)

/** Writes the hosts of a leaf that pass into `leafHosts`, and their totals into `leafTotals`. Returns the count of these hosts. */
function totalsOf(known: RequestClass, addends: readonly Addend[], leaf: number): number {
  const { order, verdicts } = known
  const { hosts } = order
  const end = known.endOf(leaf)
  let count = 0
  for (let i = order.startOf(leaf); i < end; i++) {
    const host = hosts[i] as number
    if (verdicts[host] !== PASSES) continue
    leafHosts[count] = host
    leafTotals[count++] = 0
  }
  for (let a = 0; a < addends.length; a++) {
    const { scores, multipliers, multiplier, isScaled, min, range } = addends[a] as Addend
    if (isScaled && multipliers === undefined)
      for (let i = 0; i < count; i++)
        leafTotals[i] = (leafTotals[i] as number) + multiplier * (((scores[leafHosts[i] as number] as number) - min) / range)
    else
      for (let i = 0; i < count; i++) {
        const host = leafHosts[i] as number
        const raw = scores[host] as number
        leafTotals[i] =
          (leafTotals[i] as number) +
          (multipliers === undefined ? multiplier : (multipliers[host] as number)) * (isScaled ? (raw - min) / range : raw)
      }
  }
  return count
}

/** The greatest total that a host within the bounds of a node can have. */
function boundOf({ least, greatest, table }: RequestClass, addends: readonly Addend[], node: number): number {
  const base = node * table.scores.length
  let total = 0
  for (let i = 0; i < addends.length; i++) {
    const { list, multiplier, multiplierList, isScaled, min, range } = addends[i] as Addend
    if (multiplierList < 0) {
      const raw = (multiplier >= 0 ? greatest[base + list] : least[base + list]) as number
      total += multiplier * (isScaled ? (raw - min) / range : raw)
      continue
    }
    const [low, high] = [least[base + list] as number, greatest[base + list] as number]
    const lowest = isScaled ? (low - min) / range : low
    const highest = isScaled ? (high - min) / range : high
    const [few, many] = [least[base + multiplierList] as number, greatest[base + multiplierList] as number]
    total += Math.max(few * lowest, few * highest, many * lowest, many * highest)
  }
  return total
}

/** The count of hosts that have the best total. */
function countTied(known: RequestClass, addends: readonly Addend[], totals: readonly number[], count: number): number {
  const top = totals[0] as number
  if (totals.length < count || totals[count - 1] !== top) return totals.filter((total) => total === top).length
  const { order } = known
  let tied = 0
  const nodes: number[] = [1]
  for (let node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (known.passing[node] === 0) continue
    const bound = boundOf(known, addends, node)
    if (bound < top) continue
    if (bound === top && isUniform(known, addends, node)) tied += known.passing[node] as number
    else if (node < order.leaves) nodes.push(2 * node, 2 * node + 1)
    else {
      const found = totalsOf(known, addends, node - order.leaves)
      for (let i = 0; i < found; i++) if (leafTotals[i] === top) tied++
    }
  }
  return tied
}

/** True if all hosts of a node have the same scores. */
function isUniform({ least, greatest, table }: RequestClass, addends: readonly Addend[], node: number): boolean {
  const base = node * table.scores.length
  for (let i = 0; i < addends.length; i++) {
    const { list, multiplierList } = addends[i] as Addend
    if (least[base + list] !== greatest[base + list]) return false
    if (multiplierList >= 0 && least[base + multiplierList] !== greatest[base + multiplierList]) return false
  }
  return true
}
