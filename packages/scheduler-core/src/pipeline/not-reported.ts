import { fromRule } from '../evidence.ts'
import type { PreparedFilter } from '../filters/filter.ts'
import type { HostIndex } from '../fleet/columns.ts'
import type { HostTable } from '../fleet/hosts.ts'
import { reportOf } from '../fleet/sources.ts'
import { omittedOf, prepareOmits, type Read } from '../fleet/stats-fields.ts'

/** A filter that is asked only of hosts which report what it reads; the others are refused, since what they have is not known. */
export function refuseUntold(prepared: PreparedFilter, hosts: HostTable, reads: readonly Read[]): PreparedFilter {
  const omits = prepareOmits(hosts, reads)
  if (omits === undefined) return prepared
  const missing = (host: HostIndex) => omittedOf(hosts.get(host), reads)
  return {
    passes: (host) => !omits(host) && prepared.passes(host),
    reason: (host) => (omits(host) ? { code: 'host.not_reported', subject: missing(host).join(', ') } : prepared.reason(host)),
    facts: (host) =>
      omits(host)
        ? missing(host).map((field) => ({
            subject: field,
            required: 'reported',
            actual: 'left out',
            requiredFrom: fromRule('what a filter reads is reported'),
            actualFrom: reportOf(hosts.get(host)),
          }))
        : (prepared.facts?.(host) ?? []),
  }
}

/** The numbers of a weigher, and none for hosts that do not report what it reads. */
export function withoutUntold(rawOf: (host: HostIndex) => number, hosts: HostTable, reads: readonly Read[]): (host: HostIndex) => number {
  const omits = prepareOmits(hosts, reads)
  return omits === undefined ? rawOf : (host) => (omits(host) ? Number.NaN : rawOf(host))
}
