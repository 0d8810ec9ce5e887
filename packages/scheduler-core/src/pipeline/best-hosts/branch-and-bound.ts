import type { HostIndex } from '../../values/host-index.ts'
import type { TieOrder } from '../weighing/pick.ts'
import type { Ranked } from './best-hosts.ts'
import { PASSES, type RequestClass } from './request-class.ts'
import type { Term } from './score-table.ts'

/** A term of the total score, with the bounds of this request. */
interface Addend {
  readonly list: number
  readonly scores: Float64Array
  readonly multiplier: number
  readonly multiplierList: number
  readonly multipliers: Float64Array | undefined
  /** For the normalisation `minmax`. With `fixed`, raw scores are added unchanged. */
  readonly isScaled: boolean
  readonly min: number
  readonly range: number
}

/**
 * Finds the `count` best hosts of a class without examining every host: a node of the tree is examined only if the greatest total that its
 * bounds allow can be among the best. The bound is computed by the operations of the score in the same order. Rounding is monotone, so no
 * total of a host in the node exceeds it, to the last bit. Undefined if a score of a host that passes is not finite. `isByIndex` is true if
 * `tieOrder` is the order of the indexes.
 */
export function findBest(
  known: RequestClass,
  terms: readonly Term[],
  count: number,
  tieOrder: TieOrder,
  isByIndex: boolean,
): (Ranked & { totalOf(host: HostIndex): number }) | undefined {
  if (known.passed === 0) return { hosts: [], totals: [], tied: 0, totalOf: () => 0 }
  const addends = addendsOf(known, terms)
  if (addends === undefined) return undefined
  const { order, passing, first } = known
  const [hosts, totals, keys]: [HostIndex[], number[], number[]] = [[], [], []]
  const nodes: number[] = [1]
  const bounds: number[] = [boundOf(known, addends, 1)]
  while (nodes.length > 0) {
    const node = nodes.pop() as number
    const bound = bounds.pop() as number
    if (hosts.length === count) {
      const worst = totals[count - 1] as number
      if (bound < worst || (isByIndex && bound === worst && (first[node] as number) > (keys[count - 1] as number))) continue
    }
    if (node >= order.leaves) {
      const leaf = node - order.leaves
      const end = known.endOf(leaf)
      for (let i = order.startOf(leaf); i < end; i++) {
        const host = order.hosts[i] as HostIndex
        if (known.verdictOf(host) !== PASSES) continue
        const total = totalOf(addends, host)
        if (hosts.length === count && total < (totals[count - 1] as number)) continue
        insert(hosts, totals, keys, count, host, total, tieOrder(host))
      }
      continue
    }
    const [one, other] = [2 * node, 2 * node + 1]
    const ofOne = passing[one] === 0 ? Number.NaN : boundOf(known, addends, one)
    const ofOther = passing[other] === 0 ? Number.NaN : boundOf(known, addends, other)
    // the child that is examined first is pushed last
    const isOneFirst = ofOne > ofOther || (ofOne === ofOther && (first[one] as number) < (first[other] as number))
    if (passing[other] !== 0 && isOneFirst) {
      nodes.push(other)
      bounds.push(ofOther)
    }
    if (passing[one] !== 0) {
      nodes.push(one)
      bounds.push(ofOne)
    }
    if (passing[other] !== 0 && !isOneFirst) {
      nodes.push(other)
      bounds.push(ofOther)
    }
  }
  return { hosts, totals, tied: countTied(known, addends, totals, count), totalOf: (host) => totalOf(addends, host) }
}

/** Undefined if a score of a host that passes is not finite, or if a total could be too large for a number. */
function addendsOf({ table, least, greatest }: RequestClass, terms: readonly Term[]): readonly Addend[] | undefined {
  const lists = table.scores.length
  for (let list = 0; list < lists; list++) {
    const width = (greatest[lists + list] as number) - (least[lists + list] as number)
    if (width - width !== 0) return undefined
  }
  const size = (list: number): number => Math.max(Math.abs(least[lists + list] as number), Math.abs(greatest[lists + list] as number))
  const most = terms.reduce(
    (sum, { step, raw, multiplier }) =>
      sum + (multiplier === undefined ? Math.abs(step.multiplier) : size(multiplier)) * (step.normalisation === 'minmax' ? 1 : size(raw)),
    0,
  )
  if (!Number.isFinite(most)) return undefined
  return terms.flatMap(({ step: { minval, normalisation, multiplier }, raw, multiplier: multiplierList }) => {
    const min = Math.min(minval ?? Number.POSITIVE_INFINITY, least[lists + raw] as number)
    const max = greatest[lists + raw] as number
    const isScaled = normalisation === 'minmax'
    // all normalised scores are 0
    if (isScaled && max === min) return []
    return [
      {
        list: raw,
        scores: table.scores[raw] as Float64Array,
        multiplier,
        multiplierList: multiplierList ?? -1,
        multipliers: multiplierList === undefined ? undefined : (table.scores[multiplierList] as Float64Array),
        isScaled,
        min,
        range: max - min,
      },
    ]
  })
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

/** The greatest total that a host within the bounds of a node can have. */
function boundOf({ least, greatest, table }: RequestClass, addends: readonly Addend[], node: number): number {
  const base = node * table.scores.length
  let total = 0
  for (let i = 0; i < addends.length; i++) {
    const { list, multiplier, multiplierList, isScaled, min, range } = addends[i] as Addend
    const [low, high] = [least[base + list] as number, greatest[base + list] as number]
    const lowest = isScaled ? (low - min) / range : low
    const highest = isScaled ? (high - min) / range : high
    if (multiplierList < 0) total += multiplier >= 0 ? multiplier * highest : multiplier * lowest
    else {
      const [few, many] = [least[base + multiplierList] as number, greatest[base + multiplierList] as number]
      total += Math.max(few * lowest, few * highest, many * lowest, many * highest)
    }
  }
  return total
}

/** Inserts a host into the sorted lists of the best hosts, unless it is worse than all of them and they are complete. */
function insert(hosts: HostIndex[], totals: number[], keys: number[], count: number, host: HostIndex, total: number, key: number): void {
  let at = hosts.length
  while (at > 0 && (total > (totals[at - 1] as number) || (total === totals[at - 1] && key < (keys[at - 1] as number)))) at--
  if (at === count) return
  hosts.splice(at, 0, host)
  totals.splice(at, 0, total)
  keys.splice(at, 0, key)
  if (hosts.length <= count) return
  hosts.pop()
  totals.pop()
  keys.pop()
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
      const leaf = node - order.leaves
      const end = known.endOf(leaf)
      for (let i = order.startOf(leaf); i < end; i++) {
        const host = order.hosts[i] as HostIndex
        if (known.verdictOf(host) === PASSES && totalOf(addends, host) === top) tied++
      }
    }
  }
  return tied
}

/** True if all hosts of a node have the same scores. */
function isUniform({ least, greatest, table }: RequestClass, addends: readonly Addend[], node: number): boolean {
  const base = node * table.scores.length
  return addends.every(
    ({ list, multiplierList }) =>
      least[base + list] === greatest[base + list] &&
      (multiplierList < 0 || least[base + multiplierList] === greatest[base + multiplierList]),
  )
}
