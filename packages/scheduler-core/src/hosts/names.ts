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
  /** Whether the name has been released for another machine. */
  readonly isFree: boolean
}

/** When and why a host left the fleet. */
export interface Gone {
  readonly revision: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
  /** The operator's reason. */
  readonly reason: string
  /** Whether the host returns with its next full report. */
  readonly isReadmitted: boolean
  /** The host that took over the name and report of the host that left. Null if the host was forgotten. */
  readonly mergedInto: HostIndex | null
}

/** All names that a host has or had. */
export interface Named extends HostName {
  readonly index: HostIndex
  readonly gone: Gone | null
  readonly formerNames: readonly FormerName[]
}

/**
 * A map from names to hosts. It finds one host by host and node name, or all nodes of a host name, in the order in which they first
 * reported.
 */
class NameMap {
  readonly #byName: SharedMap<HostIndex>
  readonly #nodesOf: SharedMap<readonly HostIndex[]>

  constructor(byName: SharedMap<HostIndex> = new SharedMap(), nodesOf: SharedMap<readonly HostIndex[]> = new SharedMap()) {
    this.#byName = byName
    this.#nodesOf = nodesOf
  }

  find(name: HostName): HostIndex | undefined {
    return this.#byName.get(keyOf(name))
  }

  nodesOf(host: string): readonly HostIndex[] {
    return this.#nodesOf.get(host) ?? NONE
  }

  set(name: HostName, index: HostIndex): void {
    this.#byName.set(keyOf(name), index)
    const others = this.nodesOf(name.host).filter((other) => other !== index)
    this.#nodesOf.set(
      name.host,
      [...others, index].sort((a, b) => a - b),
    )
  }

  delete(name: HostName): void {
    const index = this.find(name)
    if (index === undefined) return
    this.#byName.delete(keyOf(name))
    const left = this.nodesOf(name.host).filter((other) => other !== index)
    if (left.length > 0) this.#nodesOf.set(name.host, left)
    else this.#nodesOf.delete(name.host)
  }

  copy(): NameMap {
    return new NameMap(this.#byName.copy(), this.#nodesOf.copy())
  }
}

const NONE: readonly HostIndex[] = []

const keyOf = ({ host, node }: HostName): string => `${host}\u0000${node}`

/**
 * All names of a fleet: names of present hosts, names of forgotten hosts, and former names of replaced hosts. A name has only one of these
 * uses.
 */
export class HostNames {
  #present = new NameMap()
  #forgotten = new NameMap()
  #former = new NameMap()
  /** Former names that were released for another machine, which may use the name now. */
  #free = new NameMap()

  /** The present host of that name. */
  find(name: HostName): HostIndex | undefined {
    return this.#present.find(name)
  }

  /** All present nodes of a host name, in the order of first sight. */
  nodesOf(host: string): readonly HostIndex[] {
    return this.#present.nodesOf(host)
  }

  /** The forgotten host of that name. */
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

  /** Whether the name was a former name that has been released. */
  isFree(name: HostName): boolean {
    return this.#former.find(name) === undefined && this.#free.find(name) !== undefined
  }

  /** Adds all names of a host. A name that another host uses stays with that host. */
  enter(named: Named): void {
    const { index, gone, formerNames } = named
    for (const name of formerNames) (name.isFree ? this.#free : this.#former).set(name, index)
    if (gone === null) {
      this.#former.delete(named)
      this.#forgotten.delete(named)
      this.#present.set(named, index)
    } else if (gone.mergedInto === null) this.#forgotten.set(named, index)
  }

  /** Removes all names of a host. Must be called before any of them changes. */
  leave(named: Named): void {
    for (const map of [this.#present, this.#forgotten]) if (map.find(named) === named.index) map.delete(named)
    for (const map of [this.#former, this.#free]) for (const name of named.formerNames) if (map.find(name) === named.index) map.delete(name)
  }

  copy(): HostNames {
    const copy = new HostNames()
    copy.#present = this.#present.copy()
    copy.#forgotten = this.#forgotten.copy()
    copy.#former = this.#former.copy()
    copy.#free = this.#free.copy()
    return copy
  }
}

/** The name of a host after the entry of a revision was applied. */
export function nameAt({ host, node, formerNames }: Pick<Named, 'host' | 'node' | 'formerNames'>, revision: number): HostName {
  for (const former of formerNames) if (revision < former.until) return { host: former.host, node: former.node }
  return { host, node }
}
