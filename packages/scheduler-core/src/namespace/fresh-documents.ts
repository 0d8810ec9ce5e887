import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { namespaceSource } from '../hosts/sources.ts'
import type { Namespace } from '../records/namespace-document.ts'
import type { Source } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import { unsentBy } from './facts/collectors.ts'

/** Reads the documents of one namespace. Documents that are too old or cannot be read are ignored. */
export interface FreshDocuments<Document> {
  /** The document about a host. Undefined if the host has no document, or if its document is too old or cannot be read. */
  of(record: HostRecord): Document | undefined
  /** Why `of` returns undefined for the host. */
  refusal(record: HostRecord): Reason
  /** Names the host's document and the report that brought it, for explanations. */
  source(record: HostRecord): Source
}

/**
 * The documents of a namespace that are at most `maxAgeSeconds` old at the time of the fleet's last log entry. A document without a report
 * time is too old.
 */
export function freshDocumentsOf<Document>(namespace: Namespace<Document>, fleet: Fleet, maxAgeSeconds: number): FreshDocuments<Document> {
  const { name } = namespace
  const { now } = fleet
  const isFresh = (reportedAt: number | undefined): boolean => reportedAt !== undefined && now - reportedAt <= maxAgeSeconds * 1_000
  return {
    of({ namespaces }) {
      const held = namespaces.get(name)
      if (held === undefined || !isFresh(held.reportedAt)) return undefined
      const read = namespace.read(held)
      return read.ok ? read.value : undefined
    },
    refusal(record) {
      const held = record.namespaces.get(name)
      const unsent = held === undefined || !isFresh(held.reportedAt) ? unsentReason(fleet, record, name) : undefined
      if (unsent !== undefined) return unsent
      if (held === undefined) return { code: 'namespace.not_reported', subject: name, need: 'a document', have: 'none' }
      if (!isFresh(held.reportedAt)) {
        const have = held.reportedAt === undefined ? 'not known' : Math.floor((now - held.reportedAt) / 1_000)
        return { code: 'namespace.stale', subject: name, need: `${maxAgeSeconds} or less`, have, unit: 's' }
      }
      const read = namespace.read(held)
      const first = read.ok ? undefined : read.problems[0]
      return { code: 'namespace.malformed', subject: name, need: 'a document that can be read', have: first?.message ?? 'unreadable' }
    },
    source: (record) => namespaceSource(name, record),
  }
}

/**
 * The reason if a host does not send a namespace because no profile in use reads it. Undefined if the namespace is missing for another
 * reason.
 */
export function unsentReason(fleet: Fleet, record: HostRecord, namespace: string): Reason | undefined {
  const unsent = unsentBy(fleet, record, namespace)
  return (
    unsent && { code: 'namespace.not_sent', subject: namespace, need: 'a document', have: unsent.state === 'PAUSED' ? 'paused' : 'slowed' }
  )
}
