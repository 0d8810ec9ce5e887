import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'

/** A leaf of the tree has at most about this many hosts. Fewer hosts make more nodes, and more hosts make boxes that exclude less. */
const HOSTS_PER_LEAF = 32
/** An order has space for this many hosts that join later. */
const FURTHER = 256
/** No leaf has more hosts than this, not even the last one. */
export const MOST_PER_LEAF = HOSTS_PER_LEAF + FURTHER

/**
 * Hosts in an order in which hosts with similar scores are near each other, divided into the leaves of a complete binary tree. The order
 * only makes a search faster: every order gives the same results. Hosts that join later belong to the last leaf.
 */
export class HostOrder {
  /** The host at each position. */
  readonly hosts: Int32Array
  /** For each host, its leaf. */
  readonly leafOf: Int32Array
  /** The count of leaves, a power of two. The nodes of the tree are 1 to 2 x leaves - 1. The children of a node n are 2n and 2n + 1. */
  readonly leaves: number
  /** The count of hosts that were ordered. */
  readonly ordered: number

  constructor(hosts: Int32Array, ordered: number, leaves: number) {
    this.hosts = hosts
    this.ordered = ordered
    this.leaves = leaves
    this.leafOf = new Int32Array(hosts.length).fill(leaves - 1)
    for (let leaf = 0; leaf < leaves; leaf++)
      for (let i = this.startOf(leaf); i < this.startOf(leaf + 1); i++) this.leafOf[hosts[i] as HostIndex] = leaf
  }

  /** The most hosts that the order can have. */
  get size(): number {
    return this.hosts.length
  }

  /** True if so many hosts have joined that a new order should be made before the space for more of them is used up. */
  isFilling(count: number): boolean {
    return count > this.ordered + FURTHER / 2
  }

  /** The first position of a leaf. The positions of its hosts end before the first position of the next leaf. */
  startOf(leaf: number): number {
    return firstOf(leaf, this.ordered, this.leaves)
  }
}

/** The count of leaves of a tree for this many hosts. */
export function leavesFor(hosts: number): number {
  let leaves = 1
  while (hosts / leaves > HOSTS_PER_LEAF) leaves *= 2
  return leaves
}

const firstOf = (leaf: number, ordered: number, leaves: number): number => Math.floor((leaf * ordered) / leaves)

/**
 * Orders the hosts 0 to `count` - 1 as a k-d tree (Bentley 1975): each node's hosts are divided at the median of the score whose values
 * differ most, relative to all hosts. `scores` has a value for each host in each list. Yields after about `slice` comparisons.
 */
export function* orderHosts(scores: readonly Float64Array[], count: number, slice: number): Steps<HostOrder> {
  const leaves = leavesFor(count)
  const hosts = new Int32Array(count + FURTHER)
  for (let i = 0; i < hosts.length; i++) hosts[i] = i
  const spreads = scores.map((values) => spreadOf(values, hosts, 0, count))
  let compared = 0
  const open: [from: number, to: number][] = [[0, leaves]]
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const [from, to] = range
    if (to - from === 1) continue
    const middle = (from + to) / 2
    const [start, cut, end] = [firstOf(from, count, leaves), firstOf(middle, count, leaves), firstOf(to, count, leaves)]
    let [widest, most] = [undefined as Float64Array | undefined, 0]
    for (let s = 0; s < scores.length; s++) {
      const values = scores[s] as Float64Array
      const share = spreadOf(values, hosts, start, end) / (spreads[s] as number)
      if (share > most) [widest, most] = [values, share]
    }
    if (widest === undefined) {
      // hosts with equal scores are ordered by index, because a search stops at the first of them
      if (end - start < count) hosts.subarray(start, end).sort()
      continue
    }
    moveSmallest(hosts, widest, start, cut, end)
    open.push([middle, to], [from, middle])
    compared += (end - start) * (scores.length + 3)
    if (compared < slice) continue
    yield
    compared = 0
  }
  return new HostOrder(hosts, count, leaves)
}

/** The difference between the greatest and the smallest score of the hosts at these positions. Scores that are not finite are left out. */
function spreadOf(values: Float64Array, hosts: Int32Array, start: number, end: number): number {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = start; i < end; i++) {
    const value = values[hosts[i] as number] as number
    if (value - value !== 0) continue
    if (value < min) min = value
    if (value > max) max = value
  }
  return max > min ? max - min : 0
}

/**
 * Moves hosts so that no host at the positions `start` to `cut` - 1 has a greater score than one at `cut` to `end` - 1 (quickselect, with
 * one part for scores that equal the pivot). Scores that are not finite count as 0.
 */
function moveSmallest(hosts: Int32Array, values: Float64Array, start: number, cut: number, end: number): void {
  let [from, to] = [start, end]
  // the pivot's position is varied, so that no order of scores makes every division one-sided
  let draw = end - start
  while (to - from > 1) {
    draw = (Math.imul(draw, 1_664_525) + 1_013_904_223) >>> 0
    const pivot = scoreAt(values, hosts[from + (draw % (to - from))] as number)
    let [below, next, above] = [from, from, to]
    while (next < above) {
      const host = hosts[next] as number
      const value = scoreAt(values, host)
      if (value < pivot) {
        hosts[next++] = hosts[below] as number
        hosts[below++] = host
      } else if (value > pivot) {
        hosts[next] = hosts[--above] as number
        hosts[above] = host
      } else next++
    }
    if (cut <= below) to = below
    else if (cut >= above) from = above
    else return
  }
}

function scoreAt(values: Float64Array, host: number): number {
  const value = values[host] as number
  return value - value === 0 ? value : 0
}
