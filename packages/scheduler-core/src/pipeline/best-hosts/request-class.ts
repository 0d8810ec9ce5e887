import type { Fleet } from '../../fleet/fleet.ts'
import type { FilterCount } from '../../records/decision.ts'
import type { HostIndex } from '../../values/host-index.ts'
import type { Steps } from '../../values/steps.ts'
import { type HostOrder, leavesFor, MOST_PER_LEAF } from './host-order.ts'
import type { ScoreTable, Term } from './score-table.ts'

/** The verdict of a host that passes all filters. Lower verdicts are 2 x the index of the first filter that refuses it, and 1 more if that filter failed. */
export const PASSES = 254
/** The verdict of a host that has left the fleet. */
export const GONE = 255
/** A class has at most this many filters. */
export const MAX_FILTERS = PASSES / 2
const SCORED_AT_ONCE = 16_384

/**
 * What is known of all hosts for one kind of request: the first filter that refuses each host, how many hosts each filter refuses, and the
 * bounds of the scores of the hosts that pass, for each node of a tree. It is repaired for the hosts that changed.
 */
export class RequestClass {
  readonly table: ScoreTable
  /** For each node: the count of its hosts that pass, and the lowest index among them. */
  passing = new Int32Array(0)
  first = new Int32Array(0)
  /** For each node, and each list of the table: the least and the greatest value among the hosts that pass. */
  least = new Float64Array(0)
  greatest = new Float64Array(0)
  readonly #fleet: Fleet
  /** How many hosts `score` has looked at. */
  #scored = 0
  /** For each host, its verdict. */
  verdicts: Uint8Array
  /** For each filter, how many hosts it refuses first, and for how many of them it failed. */
  readonly #refused: Int32Array
  readonly #failed: Int32Array
  #passed = 0
  /** The count of hosts that have a verdict. */
  #known: number
  #followed: number
  #order: HostOrder | undefined
  /** The leaves whose nodes are out of date, each once. */
  #stale: number[] = []
  #isStale = new Uint8Array(0)

  /** `verdicts` has the verdict of each host, and GONE for indexes without a host. It must not be written afterwards. */
  constructor(fleet: Fleet, verdicts: Uint8Array, table: ScoreTable) {
    this.#fleet = fleet
    this.verdicts = verdicts
    this.table = table
    this.#refused = new Int32Array(MAX_FILTERS)
    this.#failed = new Int32Array(MAX_FILTERS)
    this.#known = fleet.hosts.count
    this.#followed = fleet.hosts.changes.count
    for (let host = 0; host < this.#known; host++) this.#count(verdicts[host] as number, 1)
  }

  /** The most bytes that the class can need with its tree. */
  get bytes(): number {
    const leaves = leavesFor(this.#known)
    return this.verdicts.length + leaves * (1 + 2 * (8 + 16 * this.table.scores.length))
  }

  /** The count of hosts that pass. */
  get passed(): number {
    return this.#passed
  }

  /** How many changes the class has not followed yet. */
  get behind(): number {
    return this.#fleet.hosts.changes.count - this.#followed
  }

  /** The order of the hosts in the tree. `build` must have been called. */
  get order(): HostOrder {
    if (this.#order === undefined) throw new Error('the tree of a kind of requests was read before it was built')
    return this.#order
  }

  /** The position after the last host of a leaf. */
  endOf(leaf: number): number {
    return leaf === this.order.leaves - 1 ? this.#known : this.order.startOf(leaf + 1)
  }

  /**
   * Repairs the verdicts of the hosts that changed. `verdictOf` calls the filters for a host. Yields after each `slice` of hosts. Returns
   * false if the changes are no longer known. The class must be discarded then, or if the generator does not end.
   */
  *follow(verdictOf: (host: HostIndex) => number, slice: number): Steps<boolean> {
    const { count, changes } = this.#fleet.hosts
    const changed: HostIndex[] = []
    if (!changes.eachAfter(this.#followed, (host) => host < this.#known && changed.push(host))) return false
    for (let host = this.#known; host < count; host++) changed.push(host as HostIndex)
    this.#makeRoom(count)
    this.#known = count
    this.#followed = changes.count
    for (let i = 0; i < changed.length; i++) {
      if (i > 0 && i % slice === 0) yield
      const host = changed[i] as HostIndex
      this.set(host, verdictOf(host))
    }
    return true
  }

  /** Sets the verdict of a host. The host's values of the table count as changed. */
  set(host: HostIndex, verdict: number): void {
    this.#count(this.verdicts[host] as number, -1)
    this.verdicts[host] = verdict
    this.#count(verdict, 1)
    this.#markStale(host)
  }

  /**
   * Computes the values of hosts that pass in the table, for an order of the hosts. Each call computes a limited number, and yields after
   * each `slice` of hosts. Returns true if no host is left.
   */
  *score(terms: readonly Term[], slice: number): Steps<boolean> {
    const end = Math.min(this.#known, this.#scored + SCORED_AT_ONCE)
    for (let host = this.#scored; host < end; host++) {
      if (host % slice === slice - 1) yield
      if (this.verdicts[host] === PASSES) this.table.compute(host as HostIndex, terms)
    }
    this.#scored = Math.max(this.#scored, end)
    return this.#scored >= this.#known
  }

  /** Repairs the nodes of the tree. Builds the tree if the order is not the one it was built with. */
  build(order: HostOrder, terms: readonly Term[]): void {
    if (order === this.#order) this.#repair(terms)
    else this.#rebuild(order, terms)
  }

  /** The hosts that each filter got and passed, in the form of a decision's record. */
  counts(names: readonly string[]): FilterCount[] {
    let left = this.#fleet.hosts.presentCount
    return names.map((filter, index) => {
      const entered = left
      const errors = this.#failed[index] as number
      left -= this.#refused[index] as number
      return { filter, entered, passed: left, ...(errors > 0 && { errors }) }
    })
  }

  /** Hosts that the class does not know yet count as hosts that left. */
  #makeRoom(count: number): void {
    if (count <= this.verdicts.length) return
    const larger = new Uint8Array(Math.ceil(count * 1.25)).fill(GONE)
    larger.set(this.verdicts.subarray(0, this.#known))
    this.verdicts = larger
  }

  #count(verdict: number, by: 1 | -1): void {
    if (verdict === PASSES) this.#passed += by
    else if (verdict !== GONE) {
      const filter = verdict >> 1
      this.#refused[filter] = (this.#refused[filter] as number) + by
      if ((verdict & 1) === 1) this.#failed[filter] = (this.#failed[filter] as number) + by
    }
  }

  #markStale(host: HostIndex): void {
    const leaf = this.#order?.leafOf[host]
    // without a leaf the tree is built again, because its order has no space for the host
    if (leaf === undefined || this.#isStale[leaf] === 1) return
    this.#isStale[leaf] = 1
    this.#stale.push(leaf)
  }

  #rebuild(order: HostOrder, terms: readonly Term[]): void {
    const lists = this.table.scores.length
    this.#order = order
    this.passing = new Int32Array(order.leaves * 2)
    this.first = new Int32Array(order.leaves * 2)
    this.least = new Float64Array(order.leaves * 2 * lists)
    this.greatest = new Float64Array(order.leaves * 2 * lists)
    this.#isStale = new Uint8Array(order.leaves)
    this.#stale = []
    for (let leaf = 0; leaf < order.leaves; leaf++) this.#readLeaf(leaf, terms)
    for (let node = order.leaves - 1; node > 0; node--) this.#join(node)
  }

  /** Repairs the stale leaves and the nodes above them, level by level. */
  #repair(terms: readonly Term[]): void {
    const { leaves } = this.order
    let nodes = this.#stale
    this.#stale = []
    for (let i = 0; i < nodes.length; i++) {
      const leaf = nodes[i] as number
      this.#isStale[leaf] = 0
      this.#readLeaf(leaf, terms)
      nodes[i] = leaf + leaves
    }
    if (nodes.length > 1) nodes.sort((a, b) => a - b)
    while (nodes.length > 0 && (nodes[0] as number) > 1) {
      const parents: number[] = []
      for (let i = 0; i < nodes.length; i++) {
        const parent = (nodes[i] as number) >> 1
        if (parent === parents[parents.length - 1]) continue
        parents.push(parent)
        this.#join(parent)
      }
      nodes = parents
    }
  }

  /** Computes the node of a leaf from its hosts. Scores that are not finite make a bound that is not finite. */
  #readLeaf(leaf: number, terms: readonly Term[]): void {
    const { table, order, verdicts } = this
    const { scores } = table
    const { hosts } = order
    const lists = scores.length
    const node = leaf + order.leaves
    const end = this.endOf(leaf)
    let [passing, first] = [0, NO_HOST]
    for (let i = order.startOf(leaf); i < end; i++) {
      const host = hosts[i] as HostIndex
      if (verdicts[host] !== PASSES) continue
      passingHosts[passing++] = host
      if (host < first) first = host
      table.compute(host, terms)
    }
    this.passing[node] = passing
    this.first[node] = first
    for (let list = 0; list < lists; list++) {
      const values = scores[list] as Float64Array
      let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
      for (let i = 0; i < passing; i++) {
        const value = values[passingHosts[i] as number] as number
        if (value < low) low = value
        if (value > high) high = value
        if (value - value !== 0) high = Number.POSITIVE_INFINITY
      }
      this.least[node * lists + list] = low
      this.greatest[node * lists + list] = high
    }
  }

  /** Computes a node from its two children. */
  #join(node: number): void {
    const lists = this.table.scores.length
    const [one, other] = [2 * node, 2 * node + 1]
    this.passing[node] = (this.passing[one] as number) + (this.passing[other] as number)
    this.first[node] = Math.min(this.first[one] as number, this.first[other] as number)
    for (let list = 0; list < lists; list++) {
      const [a, b] = [one * lists + list, other * lists + list]
      const [low, high] = [this.least[b] as number, this.greatest[b] as number]
      this.least[node * lists + list] = Math.min(this.least[a] as number, low)
      this.greatest[node * lists + list] = Math.max(this.greatest[a] as number, high)
    }
  }
}

/** The hosts of a leaf that pass. Valid until the next leaf is read. */
const passingHosts = new Int32Array(MOST_PER_LEAF)

/** The lowest index of a node without hosts that pass. It is greater than every index. */
const NO_HOST = 0x7fff_ffff
