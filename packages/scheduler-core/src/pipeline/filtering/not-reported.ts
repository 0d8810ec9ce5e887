import type { FilterOptions } from '../../contracts/filter.ts'
import type { ScoreOf } from '../../contracts/weigher.ts'
import type { Fleet } from '../../fleet/fleet.ts'
import { reportOf } from '../../hosts/sources.ts'
import { omittedOf, prepareOmits, type Read } from '../../report/stats-fields.ts'
import { type Fact, fromRule } from '../../text/evidence.ts'
import type { PreparedFilter } from '../../text/prepared-filter.ts'
import type { Reason } from '../../text/reason.ts'
import type { HostIndex } from '../../values/host-index.ts'
import { prepareReaderInUse } from '../namespaces/reader-in-use.ts'
import { prepareUnreported } from '../namespaces/unreported.ts'

/**
 * For one filter or weigher: `of` returns true for a host that does not report a field that the filter or weigher reads. `reason` and
 * `facts` name the missing fields.
 */
interface NotReported {
  of(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts(host: HostIndex): readonly Fact[]
}

const rule = fromRule('what a filter reads is reported')

/** The fields in `reads` that hosts omit from their reports. Undefined if no host omits any of them. */
function leftOut({ hosts }: Fleet, reads: readonly Read[]): NotReported | undefined {
  const omits = prepareOmits(hosts, reads)
  if (omits === undefined) return undefined
  const missing = (host: HostIndex) => omittedOf(hosts.get(host), reads)
  return {
    of: omits,
    reason: (host) => ({ code: 'host.not_reported', subject: missing(host).join(', ') }),
    facts: (host) =>
      missing(host).map((subject) => ({
        ...{ subject, required: 'reported', actual: 'left out' },
        ...{ requiredFrom: rule, actualFrom: reportOf(hosts.get(host)) },
      })),
  }
}

/** The fields in namespaces of plug-ins that other services have not reported about hosts. Undefined if `reads` has no such namespace. */
function unreportedIn(fleet: Fleet, reads: readonly Read[], options: FilterOptions): NotReported | undefined {
  const unreportedOf = prepareUnreported(fleet, reads, options)
  if (unreportedOf === undefined) return undefined
  const of = (host: HostIndex) => unreportedOf(fleet.hosts.get(host))
  const refusal = (host: HostIndex) => {
    const found = of(host)
    if (found === undefined) throw new Error('a host was refused as not reporting a field, but it reports every field that is read')
    return found
  }
  const complete = prepareReaderInUse(fleet)
  return {
    of: (host) => of(host) !== undefined,
    reason: (host) => complete(refusal(host).reason),
    facts(host) {
      const { reason, from } = refusal(host)
      const { subject = '', need = 'reported', have = 'left out', unit } = reason
      return [{ subject, required: need, actual: have, ...(unit !== undefined && { unit }), requiredFrom: rule, actualFrom: from }]
    },
  }
}

/**
 * Wraps a filter so that it is called only for hosts that report all fields that the filter reads. All other hosts are refused, because
 * their values are unknown.
 */
export function refuseUnreported(prepared: PreparedFilter, fleet: Fleet, reads: readonly Read[], options: FilterOptions): PreparedFilter {
  const [others, own] = [unreportedIn(fleet, reads, options), leftOut(fleet, reads)]
  if (others === undefined && own === undefined) return prepared
  return [others, own].reduce<PreparedFilter>(
    (asked, missing) =>
      missing === undefined
        ? asked
        : {
            passes: (host) => !missing.of(host) && asked.passes(host),
            reason: (host) => (missing.of(host) ? missing.reason(host) : asked.reason(host)),
            facts: (host) => (missing.of(host) ? missing.facts(host) : (asked.facts?.(host) ?? [])),
            havers() {
              const havers = asked.havers?.()
              // a host that does not report its traits can nevertheless have the trait
              if (havers === undefined) return undefined
              const { each } = havers
              const mayHave = (has: (host: HostIndex) => boolean) => (host: HostIndex) => missing.of(host) || has(host)
              return {
                ...{ ...havers, has: mayHave((host) => havers.has(host)) },
                ...(each !== undefined && { each: each.map(({ which, passes }) => ({ which, passes: mayHave(passes) })) }),
              }
            },
            ...(asked.each !== undefined && {
              each: () =>
                (asked.each?.() ?? []).map((one) => ({ ...one, passes: (host: HostIndex) => !missing.of(host) && one.passes(host) })),
            }),
            ...(asked.areJoint !== undefined && { areJoint: asked.areJoint }),
            ...(asked.which !== undefined && { which: asked.which }),
          },
    prepared,
  )
}

/**
 * Wraps the raw scores of a weigher. Hosts that do not report a field that the weigher reads get no score. `ages` is true if the scores
 * also depend on the log's time.
 */
export function withoutUnreported(
  rawOf: ScoreOf,
  fleet: Fleet,
  reads: readonly Read[],
  options: FilterOptions,
): { readonly rawOf: ScoreOf; readonly ages: boolean } {
  const [others, own] = [unreportedIn(fleet, reads, options), leftOut(fleet, reads)]
  if (others === undefined && own === undefined) return { rawOf, ages: false }
  return { rawOf: (host) => (own?.of(host) || others?.of(host) ? Number.NaN : rawOf(host)), ages: others !== undefined }
}

/** Returns a function with the reason for which a host does not report a field in `reads`. Undefined for hosts that report all fields. */
export function whyUnreported(fleet: Fleet, reads: readonly Read[], options: FilterOptions): (host: HostIndex) => Reason | undefined {
  const [others, own] = [unreportedIn(fleet, reads, options), leftOut(fleet, reads)]
  return (host) => (others?.of(host) ? others.reason(host) : own?.of(host) ? own.reason(host) : undefined)
}
