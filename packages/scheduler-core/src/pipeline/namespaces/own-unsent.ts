import type { Fleet } from '../../fleet/fleet.ts'
import type { HostRecord } from '../../hosts/hosts.ts'
import { freshDocumentsOf } from '../../namespace/fresh-documents.ts'
import { namespaceNamed } from '../../namespace/index.ts'
import { factOf, type Unsent, unsentOf } from '../../namespace/unsent.ts'
import { isOwnNamespace } from '../../records/namespace-names.ts'
import type { Read } from '../../report/stats-fields.ts'
import { fromRule } from '../../text/evidence.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { fieldsIn } from './reading.ts'

/**
 * For filters and weighers of plug-ins that read a namespace of the release: they are called for all hosts, including hosts without a
 * document. Returns a function that says which of these namespaces a host does not send. Undefined if `reads` has no such namespace.
 */
export function prepareOwnUnsent(fleet: Fleet, reads: readonly Read[]): ((record: HostRecord) => Unsent | undefined) | undefined {
  const asked = [...fieldsIn(reads).keys()].filter(isOwnNamespace).map((name) => {
    const namespace = namespaceNamed(name)
    if (namespace !== undefined) return freshDocumentsOf(namespace, fleet, namespace.maxAgeSeconds).unsent
    return (record: HostRecord) => (record.namespaces.has(name) ? undefined : unsentOf(fleet, record, name))
  })
  if (asked.length === 0) return undefined
  return (record) => {
    for (const unsentIn of asked) {
      const unsent = unsentIn(record)
      if (unsent !== undefined) return unsent
    }
    return undefined
  }
}

const rule = fromRule('what a filter reads is reported')

/**
 * Wraps a filter of a plug-in, so that it names a namespace of the release that a refused host does not send. Which hosts pass is
 * unchanged.
 */
export function nameOwnUnsent(prepared: PreparedFilter, fleet: Fleet, reads: readonly Read[]): PreparedFilter {
  const unsentOn = prepareOwnUnsent(fleet, reads)
  if (unsentOn === undefined) return prepared
  const unsentAt = (host: HostIndex): Unsent | undefined => unsentOn(fleet.hosts.get(host))
  return {
    ...prepared,
    reason: (host) => unsentAt(host)?.reason ?? prepared.reason(host),
    facts(host) {
      const unsent = unsentAt(host)
      return [...(unsent === undefined ? [] : [factOf(unsent, rule)]), ...(prepared.facts?.(host) ?? [])]
    },
  }
}
