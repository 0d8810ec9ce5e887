import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { namespaceSource } from '../hosts/sources.ts'
import type { Namespace } from '../records/namespace-document.ts'
import type { Source } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'

/** The documents of one namespace that are recent enough and can be read. */
export interface FreshDocuments<Document> {
  /** Undefined if the host has no document, or one that is too old or cannot be read. */
  of(record: HostRecord): Document | undefined
  /** The reason for which the host has no usable document. */
  refusal(record: HostRecord): Reason
  /** The reporter of the document, and the time of the report. */
  source(record: HostRecord): Source
}

/** Reads a namespace at the fleet's position in the log. A document without a report time is treated as too old. */
export function freshDocumentsOf<Document>(
  namespace: Namespace<Document>,
  { now }: Fleet,
  maxAgeSeconds: number,
): FreshDocuments<Document> {
  const { name } = namespace
  const isFresh = (reportedAt: number | undefined): boolean => reportedAt !== undefined && now - reportedAt <= maxAgeSeconds * 1_000
  return {
    of({ namespaces }) {
      const held = namespaces.get(name)
      if (held === undefined || !isFresh(held.reportedAt)) return undefined
      const read = namespace.read(held)
      return read.ok ? read.value : undefined
    },
    refusal({ namespaces }) {
      const held = namespaces.get(name)
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
