import { type Fact, fromRule } from '../evidence.ts'
import type { FilterOptions } from '../filters/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { reportOf } from '../fleet/sources.ts'
import { omittedOf, prepareOmits, type Read } from '../fleet/stats-fields.ts'
import type { HostIndex } from '../host-index.ts'
import { prepareUntold } from '../namespace/untold.ts'
import type { PreparedFilter } from '../prepared-filter.ts'
import type { Reason } from '../reason.ts'

/** What a part reads of hosts and is not told. */
interface NotReported {
  of(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts(host: HostIndex): readonly Fact[]
}

const rule = fromRule('what a filter reads is reported')

/** Fields that hosts leave out of their own reports; undefined where none is. */
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

/** What other services do not tell of hosts in the namespaces of plug-ins; undefined where nothing is read of them. */
function untold(fleet: Fleet, reads: readonly Read[], options: FilterOptions): NotReported | undefined {
  const untoldOf = prepareUntold(fleet, reads, options)
  if (untoldOf === undefined) return undefined
  const of = (host: HostIndex) => untoldOf(fleet.hosts.get(host))
  const refusal = (host: HostIndex) => {
    const found = of(host)
    if (found === undefined) throw new Error('all that is read of the host is told')
    return found
  }
  return {
    of: (host) => of(host) !== undefined,
    reason: (host) => refusal(host).reason,
    facts(host) {
      const { reason, from } = refusal(host)
      const { subject = '', need = 'reported', have = 'left out', unit } = reason
      return [{ subject, required: need, actual: have, ...(unit !== undefined && { unit }), requiredFrom: rule, actualFrom: from }]
    },
  }
}

/** A filter that is asked only of hosts of which is known what it reads; the others are refused, since what they have is not known. */
export function refuseUntold(prepared: PreparedFilter, fleet: Fleet, reads: readonly Read[], options: FilterOptions): PreparedFilter {
  return [untold(fleet, reads, options), leftOut(fleet, reads)].reduce<PreparedFilter>(
    (asked, missing) =>
      missing === undefined
        ? asked
        : {
            passes: (host) => !missing.of(host) && asked.passes(host),
            reason: (host) => (missing.of(host) ? missing.reason(host) : asked.reason(host)),
            facts: (host) => (missing.of(host) ? missing.facts(host) : (asked.facts?.(host) ?? [])),
            havers() {
              const havers = asked.havers?.()
              // a host that leaves it out may have it
              if (havers === undefined) return undefined
              const { each } = havers
              const mayHave = (has: (host: HostIndex) => boolean) => (host: HostIndex) => missing.of(host) || has(host)
              return {
                ...{ ...havers, has: mayHave((host) => havers.has(host)) },
                ...(each !== undefined && { each: each.map(({ which, passes }) => ({ which, passes: mayHave(passes) })) }),
              }
            },
            ...(asked.each !== undefined && { each: asked.each }),
          },
    prepared,
  )
}

/** The numbers of a weigher, and none for hosts of which is not known what it reads. `ages`: they depend on the time of the log too. */
export function withoutUntold(
  rawOf: (host: HostIndex) => number,
  fleet: Fleet,
  reads: readonly Read[],
  options: FilterOptions,
): { readonly rawOf: (host: HostIndex) => number; readonly ages: boolean } {
  const [others, own] = [untold(fleet, reads, options), leftOut(fleet, reads)]
  if (others === undefined && own === undefined) return { rawOf, ages: false }
  return { rawOf: (host) => (own?.of(host) || others?.of(host) ? Number.NaN : rawOf(host)), ages: others !== undefined }
}
