import type { Claim, Destination, SelectedDestination } from '@gantt/scheduler-core'
import type { Replica } from '../../replica/replica.ts'
import type { Decided } from '../decision/report-ages.ts'
import { type HostView, viewHost } from '../host/host-view.ts'

export interface InstanceDestinations {
  readonly instance: string | null
  readonly selected: ChosenHost
  readonly alternates: readonly ChosenHost[]
}

/**
 * Adds to an answer the hosts and claims that it names. For a host that has left since the decision, the data come from its tombstone. A
 * replaced host has its present name.
 */
export function toDestinations(
  { fleet }: Replica,
  answer: readonly SelectedDestination[],
  claims: readonly (Claim | undefined)[],
  decided: ChosenHost['decided'],
): InstanceDestinations[] {
  const chosen = (destination: Destination, claim: Claim | null): ChosenHost => {
    const record = claim === null ? fleet.hosts.findEver(destination) : fleet.hosts.get(claim.host)
    if (record === undefined) throw new Error(`the chosen host ${destination.host} is not in the fleet`)
    return { destination, host: viewHost(fleet, record), claim, decided }
  }
  return answer.map(({ instance, selected, alternates }, i) => ({
    instance,
    selected: chosen(selected, claims[i] ?? null),
    alternates: alternates.map((alternate) => chosen(alternate, null)),
  }))
}

/** A selected host, or an alternate. */
export interface ChosenHost {
  readonly destination: Destination
  readonly host: HostView
  readonly claim: Claim | null
  /** The time of the decision, and the revision of the state on which the decision was made. */
  decided(): Promise<Decided>
}
