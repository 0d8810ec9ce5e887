import type { HostIndex } from '../values/host-index.ts'
import { OWNER, type Own, type Owner } from '../values/owner.ts'
import { SharedMap } from '../values/shared-map.ts'

/** Several hosts whose documents contain the same uuid. */
type Several = Own<{ readonly hosts: HostIndex[] }>

/**
 * An index of the documents of one namespace. For each uuid, such as the uuid of a port, it has the hosts whose documents contain the uuid,
 * so that a request is resolved without reading all documents. It is updated with each document, and rebuilt when a checkpoint is read.
 * Copies of a fleet share the index until one of them writes to it.
 */
export class DocumentIndex {
  #byThing = new SharedMap<HostIndex | Several>()
  /** For each uuid in the documents of several hosts, the host with the youngest document. */
  #youngest = new SharedMap<HostIndex>()
  #documents = 0
  #owner: Owner = {}

  /** How many hosts have a document of the namespace. */
  get documents(): number {
    return this.#documents
  }

  /** Counts `more` documents more, or fewer if it is negative. */
  count(more: number): void {
    this.#documents += more
  }

  /** The hosts with a document that contains the uuid, in no particular order. */
  of(thing: string): readonly HostIndex[] {
    const known = this.#byThing.get(thing)
    if (known === undefined) return []
    return typeof known === 'number' ? [known] : known.hosts
  }

  /** The host with the youngest document that contains the uuid. */
  youngest(thing: string): HostIndex | undefined {
    const known = this.#byThing.get(thing)
    return known === undefined || typeof known === 'number' ? known : this.#youngest.get(thing)
  }

  /**
   * Updates the index after the document of a host was replaced. `before` and `after` are the uuids in the old and the new document.
   * `isYounger` compares the present documents of two hosts. With `isOlder`, the new document has an earlier time than the old document,
   * which can happen if two hosts are merged.
   */
  replace(
    host: HostIndex,
    before: ReadonlySet<string>,
    after: ReadonlySet<string>,
    isYounger: (one: HostIndex, other: HostIndex) => boolean,
    isOlder = false,
  ): void {
    const find = (thing: string): void => {
      const several = this.#byThing.get(thing)
      if (several === undefined || typeof several === 'number') this.#youngest.delete(thing)
      else
        this.#youngest.set(
          thing,
          several.hosts.reduce((one, other) => (isYounger(other, one) ? other : one)),
        )
    }
    for (const thing of before) {
      if (after.has(thing)) continue
      this.#remove(thing, host)
      if (this.of(thing).length < 2 || this.#youngest.get(thing) === host) find(thing)
    }
    for (const thing of after) {
      if (!before.has(thing)) this.#add(thing, host)
      if (typeof this.#byThing.get(thing) === 'number') continue
      const youngest = this.#youngest.get(thing)
      if (youngest === undefined || (youngest === host && isOlder)) find(thing)
      else if (youngest !== host && isYounger(host, youngest)) this.#youngest.set(thing, host)
    }
  }

  takeCopy(from: DocumentIndex): void {
    this.#byThing = from.#byThing.copy()
    this.#youngest = from.#youngest.copy()
    this.#documents = from.#documents
    from.#owner = {}
  }

  #add(thing: string, host: HostIndex): void {
    const known = this.#byThing.get(thing)
    if (known === undefined) this.#byThing.set(thing, host)
    else if (typeof known === 'number') this.#set(thing, [known, host])
    else this.#own(thing, known).hosts.push(host)
  }

  #remove(thing: string, host: HostIndex): void {
    const known = this.#byThing.get(thing)
    if (known === undefined || typeof known === 'number') {
      this.#byThing.delete(thing)
      return
    }
    const { hosts } = this.#own(thing, known)
    const last = hosts.pop() as HostIndex
    const position = hosts.indexOf(host)
    if (position >= 0) hosts[position] = last
    if (hosts.length === 1) this.#byThing.set(thing, hosts[0] as HostIndex)
  }

  #own(thing: string, known: Several): Several {
    return known[OWNER] === this.#owner ? known : this.#set(thing, known.hosts.slice())
  }

  #set(thing: string, hosts: HostIndex[]): Several {
    const several: Several = { hosts, [OWNER]: this.#owner }
    this.#byThing.set(thing, several)
    return several
  }
}
