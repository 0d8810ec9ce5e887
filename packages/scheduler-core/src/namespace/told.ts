import type { Source } from '../evidence.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import { namespaceSource } from '../fleet/sources.ts'
import type { Reason } from '../reason.ts'
import type { Namespace } from './contract.ts'

/** What the documents of one namespace say, as far as they are young enough. */
export interface Told<Document> {
  /** Undefined where the host has no document, an old one, or one that cannot be read. */
  of(record: HostRecord): Document | undefined
  /** Why there is none. */
  refusal(record: HostRecord): Reason
  /** Who said it, and when. */
  source(record: HostRecord): Source
}

/** Reads a namespace at the fleet's place. A document from before times were kept counts as old. */
export function toldIn<Document>(namespace: Namespace<Document>, { now }: Fleet, maxAgeSeconds: number): Told<Document> {
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
