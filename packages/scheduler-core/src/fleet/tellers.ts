import type { HostIndex } from '../host-index.ts'
import { OWNER, type Own, type Owner } from './owner.ts'
import { SharedMap } from './shared-map.ts'

/** Where more than one host tells of a thing. */
type Several = Own<{ readonly hosts: HostIndex[] }>

/**
 * Whose documents of one namespace tell of each thing, by uuid: what a request names is found without reading all documents. Kept as
 * documents come, and made anew from them with a checkpoint; copies of a fleet share it until one of them writes (owner.ts).
 */
export class Tellers {
  #byThing = new SharedMap<HostIndex | Several>()
  #owner: Owner = {}

  /** Hosts whose document tells of a thing, in no order that means anything. */
  of(thing: string): readonly HostIndex[] {
    const known = this.#byThing.get(thing)
    if (known === undefined) return []
    return typeof known === 'number' ? [known] : known.hosts
  }

  /** A host's document tells of other things than before. */
  replace(host: HostIndex, before: ReadonlySet<string>, after: ReadonlySet<string>): void {
    for (const thing of before) if (!after.has(thing)) this.#remove(thing, host)
    for (const thing of after) if (!before.has(thing)) this.#add(thing, host)
  }

  takeCopy(from: Tellers): void {
    this.#byThing = from.#byThing.copy()
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
    const place = hosts.indexOf(host)
    if (place >= 0) hosts[place] = last
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
