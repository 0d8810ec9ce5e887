import type { HostTable } from '../fleet/hosts.ts'
import type { HostIndex } from '../host-index.ts'
import type { NamespaceDocument } from './contract.ts'
import { ownNamespace } from './own.ts'
import { storage } from './storage.ts'

const NOTHING: ReadonlySet<string> = new Set()

/**
 * A host's document of a namespace was replaced: what is looked up by the things that it tells of follows it. It is read at once, so that
 * no decision waits until all are read; one that cannot be read, or that no namespace reads, tells of nothing.
 */
export function takeDocument(hosts: HostTable, host: HostIndex, name: string, before: NamespaceDocument | undefined): void {
  const namespace = ownNamespace(name)
  if (namespace === undefined) return
  const thingsIn = (held: NamespaceDocument | undefined): ReadonlySet<string> => {
    const read = held === undefined ? undefined : namespace.read(held)
    return read?.ok === true ? new Set(namespace.things(read.value)) : NOTHING
  }
  const now = hosts.get(host).namespaces.get(name)
  const [was, is] = [thingsIn(before), thingsIn(now)]
  hosts.tellersOf(name).replace(host, was, is)
  if (namespace.name === storage.name) takePools(hosts, host, was, is)
}

/** Only documents with a time tell of space: those from before feature level 5 were read by nobody when they came. */
function takePools(hosts: HostTable, host: HostIndex, was: ReadonlySet<string>, is: ReadonlySet<string>): void {
  const { pools } = hosts
  const tellFrom = (teller: HostIndex, pool: string): void => {
    const held = hosts.get(teller).namespaces.get(storage.name)
    if (held?.reportedAt === undefined) return
    const read = storage.read(held)
    const told = read.ok ? read.value.pools.get(pool) : undefined
    if (told === undefined || told.totalGib === null) return
    const { name, totalGib, reservedGib, usedGib, thinRatio } = told
    pools.tell(pool, teller, held.reportedAt, { name, totalGib, reservedGib, usedGib: usedGib ?? 0, thinRatio })
  }
  for (const thing of was) {
    if (pools.figure(thing)?.teller !== host) continue
    // it may no longer say what it said: of all who tell, the youngest is right
    pools.forget(thing)
    for (const teller of hosts.tellersOf(storage.name).of(thing)) tellFrom(teller, thing)
  }
  for (const thing of is) tellFrom(host, thing)
}
