import type { FilterOptions } from '../../contracts/filter.ts'
import { pluginsOf } from '../../contracts/plugins.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { namespaceSource } from '../../hosts/sources.ts'
import { type FreshDocuments, freshDocumentsOf } from '../../namespace/fresh-documents.ts'
import { namespaceNamed } from '../../namespace/index.ts'
import { isOwnNamespace } from '../../records/namespace-names.ts'
import type { Read } from '../../report/stats-fields.ts'
import type { Source } from '../../text/evidence.ts'
import type { Reason } from '../../text/reason.ts'
import { isJsonObject } from '../../values/json.ts'
import { fieldsIn, maxAgeIn } from './reading.ts'

/** Why data that a filter or weigher reads is missing for a host, and the reporter that should have sent it. */
export interface Unreported {
  readonly reason: Reason
  readonly from: Source
}

/**
 * Prepares a check for the data that a filter or weigher reads in namespaces of plug-ins. The check returns the reason if another service
 * has not reported the data about a host. Undefined if `reads` has no such namespace. The release's own namespaces are not checked here,
 * because the filters that read them check them. If no loaded plug-in defines a namespace, every host is treated as not reported.
 */
export function prepareUnreported(
  fleet: Fleet,
  reads: readonly Read[],
  options: FilterOptions,
): ((record: HostRecord) => Unreported | undefined) | undefined {
  const read = fieldsIn(reads)
  if (read.size === 0) return undefined
  const asked = [...read].flatMap(([name, fields]) => {
    if (isOwnNamespace(name)) return []
    const namespace = namespaceNamed(name, pluginsOf(fleet))
    if (namespace === undefined) return [{ name, fields, documents: reportedByNobody(name) }]
    const { maxAgeSeconds = namespace.maxAgeSeconds } = maxAgeIn(options)
    return [{ name, fields, documents: freshDocumentsOf(namespace, fleet, maxAgeSeconds) }]
  })
  if (asked.length === 0) return undefined
  return (record) => {
    for (const { name, fields, documents } of asked) {
      const document = documents.of(record)
      if (document === undefined) return { reason: documents.refusal(record), from: documents.source(record) }
      const missing = isJsonObject(document) ? fields.filter((field) => !Object.hasOwn(document, field.split('.', 1)[0] as string)) : fields
      if (missing.length > 0)
        return {
          reason: { code: 'host.not_reported', subject: missing.map((field) => `${name}.${field}`).join(', ') },
          from: documents.source(record),
        }
    }
    return undefined
  }
}

const reportedByNobody = (name: string): FreshDocuments<unknown> => ({
  of: () => undefined,
  unsent: () => undefined,
  refusal: () => ({ code: 'namespace.not_reported', subject: name, need: 'a document', have: 'no plug-in here that reads it' }),
  source: (record) => namespaceSource(name, record),
})
