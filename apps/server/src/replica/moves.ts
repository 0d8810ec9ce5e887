import {
  type Claim,
  type ClaimRef,
  type Code,
  type Fleet,
  type Group,
  type HostName,
  type Intent,
  isLive,
  type MoveIntent,
  type RequestSpec,
  withPresentNames,
} from '@gantt/scheduler-core'
import { groupUuid } from '@gantt/scheduler-core/nova'
import type { PlacementCall } from './placement.ts'

const moves: readonly Intent[] = ['RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE'] satisfies readonly MoveIntent[]

/** Whether a call with this intent takes room for a claim that moves. */
export const isMove = (intent: Intent): intent is MoveIntent => moves.includes(intent)

/** The claim that is to move, or the code of why it cannot. */
export function findSource({ ledger }: Fleet, { claim: id, fence }: ClaimRef): Claim | Extract<Code, 'claim.lost' | 'claim.moving'> {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence || !isLive(claim)) return 'claim.lost'
  return claim.source !== null || claim.target !== null ? 'claim.moving' : claim
}

/** The request as it is decided: as the claim that moves completes it, and with its hosts as they are called by now. */
export function requestNow(
  fleet: Fleet,
  call: Pick<PlacementCall, 'request' | 'intent'>,
  source: Claim | undefined,
  completed?: RequestSpec,
): RequestSpec {
  return withPresentNames(
    fleet,
    completed ?? (source === undefined ? withHintedGroup(fleet, call.request) : requestOfMove(fleet, call, source)),
  )
}

/** The uuid of the server group that a request names by its hint alone, as the dictionaries of Juno do: the scheduler looked it up. */
export function hintedGroup({ nova, instanceGroup, schedulerHints, projectId }: RequestSpec): string | undefined {
  const [hint] = nova?.form === 'legacy' && instanceGroup === null ? (schedulerHints.group ?? []) : []
  return hint === undefined || hint === '' ? undefined : groupUuid(hint, projectId)
}

/** With the group that the hint names, and the rule that its claims are bound to. */
function withHintedGroup({ groups }: Fleet, request: RequestSpec): RequestSpec {
  const uuid = hintedGroup(request)
  const group = uuid === undefined ? undefined : groups.find(uuid)
  return group === undefined
    ? request
    : { ...request, instanceGroup: { ...ruleOf(group), hosts: [], apartFrom: [...(group.apartFrom ?? [])] } }
}

const ruleOf = ({ uuid, policy, maxServerPerHost }: Group) => ({
  uuid,
  policy,
  maxServerPerHost: policy === 'ANTI_AFFINITY' ? maxServerPerHost : null,
})

/**
 * The request as the claim completes it: its instance, its server group as it is bound now, and where it may go. A resize
 * may stay; a migration and an evacuation leave the host; a rebuild stays.
 */
export function requestOfMove(fleet: Fleet, { request, intent }: Pick<PlacementCall, 'request' | 'intent'>, claim: Claim): RequestSpec {
  const { groups, hosts } = fleet
  const { host, node } = hosts.get(claim.host)
  const group = claim.group === null ? undefined : groups.find(claim.group)
  return {
    ...request,
    instanceUuids: claim.instance === null ? [] : [claim.instance],
    // a move keeps its group, with the rule that it has now; what the request keeps it apart from comes to that
    instanceGroup:
      group === undefined
        ? null
        : {
            ...ruleOf(group),
            hosts: request.instanceGroup?.hosts ?? [],
            apartFrom: [...new Set([...(group.apartFrom ?? []), ...(request.instanceGroup?.apartFrom ?? [])])],
          },
    ...(intent === 'REBUILD' && stayingOn({ host, node }, withPresentNames(fleet, request))),
    ...(isMove(intent) && intent !== 'RESIZE' && { ignoreHosts: [...new Set([...request.ignoreHosts, host])] }),
  }
}

/** A rebuild stays where it is; a caller that names another place is held to that as well, and no host is both. */
function stayingOn({ host, node }: HostName, { requestedDestination: asked }: RequestSpec): Partial<RequestSpec> {
  const isElsewhere = (asked?.host ?? host) !== host || (asked?.node ?? node) !== node
  return isElsewhere
    ? { forceHosts: [host], requestedDestination: asked }
    : { requestedDestination: { aggregates: [], forbiddenAggregates: [], ...asked, host, node } }
}
