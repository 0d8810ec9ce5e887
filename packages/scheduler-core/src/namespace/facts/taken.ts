import type { HostTable } from '../../hosts/hosts.ts'
import type { PoolSpace } from '../../hosts/pools.ts'
import type { NamespaceDocument } from '../../records/namespace-document.ts'
import { canonicalJson } from '../../values/canonical-json.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { ownNamespace } from './own.ts'
import { type Storage, storage } from './storage.ts'

const NOTHING: ReadonlySet<string> = new Set()
/** The time of documents that were recorded before feature level 5. */
const NO_TIME = -1

/**
 * Whether a document has precedence over another one. The younger document does, and of two with the same time the document of the host
 * that was first seen.
 */
const isAhead = (time: number, host: HostIndex, otherTime: number, other: HostIndex): boolean =>
  time > otherTime || (time === otherTime && host < other)

/**
 * Updates the indexes after a host's document of a namespace was replaced. The document is parsed at once, so that no decision has to wait
 * until all documents are parsed. A document that cannot be read, or with a namespace that this release does not read, names no things.
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
  const timeOf = (index: HostIndex): number => hosts.get(index).namespaces.get(name)?.reportedAt ?? NO_TIME
  const isYounger = (one: HostIndex, other: HostIndex): boolean => isAhead(timeOf(one), one, timeOf(other), other)
  hosts.documentIndexOf(name).replace(host, was, is, isYounger, timeOf(host) < (before?.reportedAt ?? NO_TIME))
  if (namespace.name === storage.name) takePools(hosts, host, was, is)
}

/**
 * Updates the sizes of pools. Only documents with a report time are used, because documents from before feature level 5 were not checked
 * when they arrived.
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
    // the host's document may no longer contain the size of the pool; the youngest document that contains it is used
    pools.forget(thing)
    for (const reporter of hosts.documentIndexOf(storage.name).of(thing)) takeFrom(reporter, thing)
  }
  for (const thing of is) takeFrom(host, thing)
}

/** The space of a pool in a document. Undefined if the document does not contain the size of the pool. */
function spaceIn({ pools }: Storage, pool: string): PoolSpace | undefined {
  const space = pools.get(pool)
  if (space === undefined || space.totalGib === null) return undefined
  const { name, totalGib, reservedGib, usedGib, thinRatio } = space
  return { name, totalGib, reservedGib, usedGib: usedGib ?? 0, thinRatio }
}

/**
 * Whether another host has a younger document that differs in a thing that this host's document names. If the host then reports its
 * document again, the report must be written to the log, because it becomes the youngest document.
 */
export function isOverruled(hosts: HostTable, host: HostIndex, name: string): boolean {
  const held = hosts.get(host).namespaces.get(name)
  const namespace = ownNamespace(name)
  if (namespace === undefined || held?.reportedAt === undefined) return false
  const read = namespace.read(held)
  if (!read.ok) return false
  const index = hosts.documentIndexOf(name)
  const saysOf = (reporter: HostIndex, thing: string): unknown => {
    const document = hosts.get(reporter).namespaces.get(name)
    const its = document === undefined ? undefined : namespace.read(document)
    return its?.ok === true ? namespace.says(its.value, thing, reporter) : undefined
  }
  for (const thing of namespace.things(read.value)) {
    const youngest = index.youngest(thing)
    if (youngest === undefined || youngest === host) continue
    if (canonicalJson(saysOf(youngest, thing) ?? null) !== canonicalJson(namespace.says(read.value, thing, host) ?? null)) return true
  }
  return namespace.name === storage.name && isOverruledOnSpace(hosts, host, held)
}

/**
 * Whether a younger document of another host contains another size of a pool. This document may be older than documents that only name the
 * pool.
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
