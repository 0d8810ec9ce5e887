import type { HostIndex } from '../values/host-index.ts'
import type { HostName } from '../values/host-name.ts'
import { SharedMap } from '../values/shared-map.ts'

/** A name that a host had before it was replaced. */
export interface FormerName extends HostName {
  /** The revision of the entry that changed this name to the host's next name. */
  readonly until: number
  /** The store time (the database's clock) of the entry `until`, milliseconds since 1970. */
  readonly at: number
  /** The operator's reason. */
  readonly reason: string
  /** True if an operator released the name. Another machine may then use the name. */
  readonly isFree: boolean
}

/** When and why a host left the fleet. */
export interface Gone {
  readonly revision: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
  /** The operator's reason. */
  readonly reason: string
  /** True if the host joins the fleet again with its next full report. */
  readonly isReadmitted: boolean
  /** If this host was merged into another host: the index of that host. Null if this host was forgotten. */
  readonly mergedInto: HostIndex | null
}

/** All names that a host has or had. */
export interface Named extends HostName {
  readonly index: HostIndex
  readonly gone: Gone | null
  readonly formerNames: readonly FormerName[]
}

/**
 * A map from names to hosts. It finds one host by its host name and node name, or all hosts with a host name, in the order in which they
 * first reported.
 */
class NameMap {
  readonly #byName: SharedMap<HostIndex>
  /** All hosts with a host name. A host whose two names are equal is not in it if no other host has had its host name. */
  readonly #nodesOf: SharedMap<readonly HostIndex[]>

  constructor(byName: SharedMap<HostIndex> = new SharedMap(), nodesOf: SharedMap<readonly HostIndex[]> = new SharedMap()) {
    this.#byName = byName
    this.#nodesOf = nodesOf
  }

  find(name: HostName): HostIndex | undefined {
    return this.#byName.get(keyOf(name))
  }

  nodesOf(host: string): readonly HostIndex[] {
    const known = this.#nodesOf.get(host)
    if (known !== undefined) return known
    const only = this.find({ host, node: host })
    return only === undefined ? NONE : [only]
  }

  set(name: HostName, index: HostIndex): void {
    const others = this.nodesOf(name.host).filter((other) => other !== index)
    this.#byName.set(keyOf(name), index)
    if (others.length === 0 && name.host === name.node) this.#nodesOf.delete(name.host)
    else
      this.#nodesOf.set(
        name.host,
        [...others, index].sort((a, b) => a - b),
      )
  }

  delete(name: HostName): void {
    if (this.#byName.size === 0) return
    const index = this.find(name)
    if (index === undefined) return
    const left = this.nodesOf(name.host).filter((other) => other !== index)
    this.#byName.delete(keyOf(name))
    if (left.length > 0) this.#nodesOf.set(name.host, left)
    else this.#nodesOf.delete(name.host)
  }

  copy(): NameMap {
    return new NameMap(this.#byName.copy(), this.#nodesOf.copy())
  }
}

const NONE: readonly HostIndex[] = []

/** Equal names, which most hosts have, need no further text. */
const keyOf = ({ host, node }: HostName): string => (host === node && !host.includes('\u0000') ? host : `${host}\u0000${node}`)

/**
 * All names of a fleet: names of present hosts, names of forgotten hosts, and former names of replaced hosts. A name has only one of these
 * three roles.
 */
export class HostNames {
  #present = new NameMap()
  #forgotten = new NameMap()
  #former = new NameMap()
  /** Former names that operators released. Another machine may use such a name. */
  #free = new NameMap()
  /** For each node name, how many present hosts have it together with another host name. */
  #otherNodes = new SharedMap<number>()
  /** For each node name, the hosts that had it before they were replaced, in ascending order. Without released names. */
  #formerNodes = new SharedMap<readonly HostIndex[]>()

  /** The present host with this name. */
  find(name: HostName): HostIndex | undefined {
    return this.#present.find(name)
  }

  /** All present nodes of a host name, in the order in which they were first seen. */
  nodesOf(host: string): readonly HostIndex[] {
    return this.#present.nodesOf(host)
  }

  /** The forgotten host with this name. */
  findForgotten(name: HostName): HostIndex | undefined {
    return this.#forgotten.find(name)
  }

  forgottenNodesOf(host: string): readonly HostIndex[] {
    return this.#forgotten.nodesOf(host)
  }

  /** The host that had this name before it was replaced. */
  findRenamed(name: HostName): HostIndex | undefined {
    return this.#former.find(name)
  }

  renamedNodesOf(host: string): readonly HostIndex[] {
    return this.#former.nodesOf(host)
  }

  /** True if a present host has this node name, under any host name. */
  hasNode(node: string): boolean {
    return this.#present.find({ host: node, node }) !== undefined || this.#otherNodes.has(node)
  }

  /** The hosts that had this node name before they were replaced, under any host name, in the order in which they were first seen. */
  formerNodesNamed(node: string): readonly HostIndex[] {
    return this.#formerNodes.get(node) ?? NONE
  }

  /** True if the name is a former name that an operator released for another machine. */
  isFree(name: HostName): boolean {
    return this.#former.find(name) === undefined && this.#free.find(name) !== undefined
  }

  /** Adds the present name and all former names of a host. */
  enter(named: Named): void {
    const { index, gone, formerNames } = named
    for (const name of formerNames) (name.isFree ? this.#free : this.#former).set(name, index)
    if (gone === null) {
      this.#former.delete(named)
      this.#forgotten.delete(named)
      this.#present.set(named, index)
    } else if (gone.mergedInto === null) this.#forgotten.set(named, index)
    this.#countNode(named, 1)
    for (const { node, isFree } of formerNames) {
      const known = this.formerNodesNamed(node)
      if (!isFree && !known.includes(index))
        this.#formerNodes.set(
          node,
          [...known, index].sort((a, b) => a - b),
        )
    }
  }

  /** Removes the present name and all former names of a host. Must be called before a name of the host changes. */
  leave(named: Named): void {
    for (const map of [this.#present, this.#forgotten]) if (map.find(named) === named.index) map.delete(named)
    for (const map of [this.#former, this.#free]) for (const name of named.formerNames) if (map.find(name) === named.index) map.delete(name)
    this.#countNode(named, -1)
    for (const { node } of named.formerNames) {
      const left = this.formerNodesNamed(node).filter((other) => other !== named.index)
      if (left.length > 0) this.#formerNodes.set(node, left)
      else this.#formerNodes.delete(node)
    }
  }

  #countNode({ host, node, gone }: Named, change: 1 | -1): void {
    if (host === node || gone !== null) return
    const count = (this.#otherNodes.get(node) ?? 0) + change
    if (count > 0) this.#otherNodes.set(node, count)
    else this.#otherNodes.delete(node)
  }

  copy(): HostNames {
    const copy = new HostNames()
    copy.#present = this.#present.copy()
    copy.#forgotten = this.#forgotten.copy()
    copy.#former = this.#former.copy()
    copy.#free = this.#free.copy()
    copy.#otherNodes = this.#otherNodes.copy()
    copy.#formerNodes = this.#formerNodes.copy()
    return copy
  }
}

/** The name that a host had after the log entry of this revision. */
export function nameAt({ host, node, formerNames }: Pick<Named, 'host' | 'node' | 'formerNames'>, revision: number): HostName {
  for (const former of formerNames) if (revision < former.until) return { host: former.host, node: former.node }
  return { host, node }
}
