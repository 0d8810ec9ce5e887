import { type HostStatus, hostNamesOf } from '@gantt/scheduler-core'
import { InputFault } from '../calls/outcome.ts'
import { type HostView, stateOf, statusOf } from './host-view.ts'

/** Conditions on a text. A text matches if it meets every condition. All conditions except `contains` are case-sensitive. */
export interface TextFilter {
  readonly eq?: string | null | undefined
  readonly neq?: string | null | undefined
  readonly in?: readonly string[] | null | undefined
  readonly nin?: readonly string[] | null | undefined
  readonly startsWith?: string | null | undefined
  readonly contains?: string | null | undefined
}

/** A filter of hosts. A host matches if it meets every condition that is set. */
export interface HostFilter {
  readonly name?: TextFilter | null | undefined
  readonly availabilityZone?: TextFilter | null | undefined
  readonly aggregate?: TextFilter | null | undefined
  readonly status?: HostStatus | null | undefined
  readonly state?: string | null | undefined
  readonly traits?: readonly string[] | null | undefined
  readonly and?: readonly HostFilter[] | null | undefined
  readonly or?: readonly HostFilter[] | null | undefined
  readonly not?: HostFilter | null | undefined
}

/** Limits of the size of a filter. They are needed because a filter is evaluated for every host. */
const MAX_PARTS = 100
const MAX_VALUES = 1_000

/** Throws InputFault for a filter that is too large to be evaluated for every host. */
export function checkFilter(filter: HostFilter): void {
  let parts = 0
  const waiting: HostFilter[] = [filter]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { name, availabilityZone, aggregate, traits, and, or, not } = next
    parts++
    const values = [traits, name?.in, name?.nin, availabilityZone?.in, availabilityZone?.nin, aggregate?.in, aggregate?.nin]
    if (parts > MAX_PARTS) throw InputFault.at(['filter'], filter, `a filter of at most ${MAX_PARTS} parts`)
    for (const list of values)
      if (list && list.length > MAX_VALUES) throw InputFault.at(['filter'], list, `lists of at most ${MAX_VALUES} values`)
    waiting.push(...(and ?? []).slice(0, MAX_PARTS + 1), ...(or ?? []).slice(0, MAX_PARTS + 1), ...(not ? [not] : []))
  }
}

/** True if a host matches. Aggregates are compared by name. */
export function matchesHost(view: HostView, filter: HostFilter): boolean {
  const { record, fleet } = view
  const { name, availabilityZone, aggregate, status, state, traits, and, or, not } = filter
  return (
    (!name || matchesName(hostNamesOf(record), name)) &&
    (!availabilityZone || matchesText(record.zone, availabilityZone)) &&
    (!aggregate || record.aggregates.some((uuid) => matchesText(fleet.aggregates.byUuid.get(uuid)?.name ?? '', aggregate))) &&
    (!status || statusOf(view) === status) &&
    (!state || stateOf(view) === state) &&
    (traits ?? []).every((trait) => record.traits.has(trait)) &&
    (and ?? []).every((part) => matchesHost(view, part)) &&
    (!or || or.length === 0 || or.some((part) => matchesHost(view, part))) &&
    (!not || !matchesHost(view, not))
  )
}

/**
 * True if the present name or an earlier name of a host meets a condition. Every name of the host must meet the exclusions `neq` and `nin`.
 */
const matchesName = (names: readonly string[], { neq, nin, ...wanted }: TextFilter): boolean =>
  names.some((name) => matchesText(name, wanted)) && names.every((name) => matchesText(name, { neq, nin }))

export function matchesText(text: string, { eq, neq, in: among, nin, startsWith, contains }: TextFilter): boolean {
  return (
    (typeof eq !== 'string' || text === eq) &&
    (typeof neq !== 'string' || text !== neq) &&
    (!among || among.includes(text)) &&
    !nin?.includes(text) &&
    (typeof startsWith !== 'string' || text.startsWith(startsWith)) &&
    (typeof contains !== 'string' || text.toLowerCase().includes(contains.toLowerCase()))
  )
}
