import type { HostTable } from '../../hosts/hosts.ts'
import type { PoolSpace } from '../../hosts/pools.ts'
import type { NamespaceDocument } from '../../records/namespace-document.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ownNamespace } from './own.ts'
import { type Storage, storage } from './storage.ts'

const NOTHING: ReadonlySet<string> = new Set()
/** The time that is used for documents without a report time, which were recorded before feature level 5. */
const NO_TIME = -1

/**
 * True if a document has precedence over another document. The younger document has precedence. If the two documents have the same time,
 * the document of the host with the lower index has precedence.
 */
const isAhead = (time: number, host: HostIndex, otherTime: number, other: HostIndex): boolean =>
  time > otherTime || (time === otherTime && host < other)

/**
 * Updates the index of a namespace (how many documents there are, and the volumes or ports in them) after a host's document was added,
 * replaced or removed; `before` is the document until then. The document is parsed here. Otherwise,
 * the next decision would have to parse all documents. A document that this release cannot read names no things.
 */
export function takeDocument(hosts: HostTable, host: HostIndex, name: string, before: NamespaceDocument | undefined): void {
  const index = hosts.documentIndexOf(name)
  const now = hosts.get(host).namespaces.get(name)
  index.count(Number(now !== undefined) - Number(before !== undefined))
  const namespace = ownNamespace(name)
  if (namespace === undefined) return
  const thingsIn = (held: NamespaceDocument | undefined): ReadonlySet<string> => {
    const read = held === undefined ? undefined : namespace.read(held)
    return read?.ok === true ? new Set(namespace.things(read.value)) : NOTHING
  }
  const [was, is] = [thingsIn(before), thingsIn(now)]
  const timeOf = (index: HostIndex): number => hosts.get(index).namespaces.get(name)?.reportedAt ?? NO_TIME
  const isYounger = (one: HostIndex, other: HostIndex): boolean => isAhead(timeOf(one), one, timeOf(other), other)
  index.replace(host, was, is, isYounger, timeOf(host) < (before?.reportedAt ?? NO_TIME))
  if (namespace.name === storage.name) takePools(hosts, host, was, is)
}

/**
 * Updates the stored sizes of storage pools after a host's document was replaced. Documents without a report time are ignored, because they
 * are from before feature level 5 and were not checked when they arrived.
 */
function takePools(hosts: HostTable, host: HostIndex, was: ReadonlySet<string>, is: ReadonlySet<string>): void {
  const { pools } = hosts
  const takeFrom = (reporter: HostIndex, pool: string): void => {
    const held = hosts.get(reporter).namespaces.get(storage.name)
    if (held?.reportedAt === undefined) return
    const read = storage.read(held)
    const space = read.ok ? spaceIn(read.value, pool) : undefined
    if (space !== undefined) pools.takeFigure(pool, reporter, held.reportedAt, space)
  }
  for (const thing of was) {
    if (pools.figure(thing)?.reporter !== host) continue
    // the stored size came from this host's former document, so the size is determined again from the documents of all hosts
    pools.forget(thing)
    for (const reporter of hosts.documentIndexOf(storage.name).of(thing)) takeFrom(reporter, thing)
  }
  for (const thing of is) takeFrom(host, thing)
}

/** The size of a pool according to a document. Undefined if the document has no size for the pool. */
function spaceIn({ pools }: Storage, pool: string): PoolSpace | undefined {
  const space = pools.get(pool)
  if (space === undefined || space.totalGib === null) return undefined
  const { name, totalGib, reservedGib, usedGib, thinRatio } = space
  return { name, totalGib, reservedGib, usedGib: usedGib ?? 0, thinRatio }
}

/**
 * True if another host has a younger document with different data about a thing that this host's document names. If this host reports its
 * unchanged document again, the report must nevertheless be written to the log, because the document then becomes the youngest.
 */
export function isOverruled(hosts: HostTable, host: HostIndex, name: string): boolean {
  const held = hosts.get(host).namespaces.get(name)
  const namespace = ownNamespace(name)
  if (namespace === undefined || held?.reportedAt === undefined) return false
  const read = namespace.read(held)
  if (!read.ok) return false
  const index = hosts.documentIndexOf(name)
  const reportedBy = (reporter: HostIndex, thing: string): unknown => {
    const document = hosts.get(reporter).namespaces.get(name)
    const its = document === undefined ? undefined : namespace.read(document)
    return its?.ok === true ? namespace.says(its.value, thing, reporter) : undefined
  }
  for (const thing of namespace.things(read.value)) {
    const youngest = index.youngest(thing)
    if (youngest === undefined || youngest === host) continue
    if (canonicalJson(reportedBy(youngest, thing) ?? null) !== canonicalJson(namespace.says(read.value, thing, host) ?? null)) return true
  }
  return namespace.name === storage.name && isOverruledOnSpace(hosts, host, held)
}

/**
 * True if the stored size of a pool differs from the size in this host's document and came from another host's document. Not every document
 * that names a pool has the pool's size. Therefore, the youngest document that names the pool is not always the document with the size.
 */
function isOverruledOnSpace({ pools }: HostTable, host: HostIndex, held: NamespaceDocument): boolean {
  const read = storage.read(held)
  if (!read.ok) return false
  for (const pool of read.value.pools.keys()) {
    const [space, figure] = [spaceIn(read.value, pool), pools.figure(pool)]
    if (space === undefined || figure === undefined || figure.reporter === host) continue
    if (spaceFigures.some((key) => space[key] !== figure[key])) return true
  }
  return false
}

const spaceFigures = ['totalGib', 'reservedGib', 'usedGib', 'thinRatio'] as const
