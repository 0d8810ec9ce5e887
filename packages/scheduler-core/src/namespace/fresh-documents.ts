import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { namespaceSource } from '../hosts/sources.ts'
import type { Namespace } from '../records/namespace-document.ts'
import type { Source } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import { type Unsent, unsentOf } from './unsent.ts'

/** Reads the documents of one namespace. Documents that are too old or cannot be read are ignored. */
export interface FreshDocuments<Document> {
  /** The document about a host. Undefined if the host has no document, or if its document is too old or cannot be read. */
  of(record: HostRecord): Document | undefined
  /** Says that a collector of the host does not send the documents. Undefined if the host has a document that is recent enough. */
  unsent(record: HostRecord): Unsent | undefined
  /** Why `of` returns undefined for the host. */
  refusal(record: HostRecord): Reason
  /** Names the report that shows what the host's document says, or why `of` returns undefined. Explanations use it. */
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
  const unsent = (record: HostRecord): Unsent | undefined =>
    isFresh(record.namespaces.get(name)?.reportedAt) ? undefined : unsentOf(fleet, record, name)
  return {
    of({ namespaces }) {
      const held = namespaces.get(name)
      if (held === undefined || !isFresh(held.reportedAt)) return undefined
      const read = namespace.read(held)
      return read.ok ? read.value : undefined
    },
    unsent,
    refusal(record) {
      const notSent = unsent(record)
      if (notSent !== undefined) return notSent.reason
      const held = record.namespaces.get(name)
      if (held === undefined) return { code: 'namespace.not_reported', subject: name, need: 'a document', have: 'none' }
      if (!isFresh(held.reportedAt)) {
        const have = held.reportedAt === undefined ? 'not known' : Math.floor((now - held.reportedAt) / 1_000)
        return { code: 'namespace.stale', subject: name, need: `${maxAgeSeconds} or less`, have, unit: 's' }
      }
      const read = namespace.read(held)
      const first = read.ok ? undefined : read.problems[0]
      return { code: 'namespace.malformed', subject: name, need: 'a document that can be read', have: first?.message ?? 'unreadable' }
    },
    source: (record) => unsent(record)?.from ?? namespaceSource(name, record),
  }
}
