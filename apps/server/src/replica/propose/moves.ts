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
  mustLeave,
  presentHosts,
  type RequestSpec,
  restated,
  withPresentNames,
} from '@gantt/scheduler-core'
import { groupUuid } from '@gantt/scheduler-core/nova'
import type { PlacementCall } from './placement.ts'

const moves: readonly Intent[] = ['RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE'] satisfies readonly MoveIntent[]

/** Returns true if a call with this intent moves an existing claim. */
export const isMove = (intent: Intent): intent is MoveIntent => moves.includes(intent)

/** The claim to move, or the code of the reason why it cannot move. */
export function findSource({ ledger }: Fleet, { claim: id, fence }: ClaimRef): Claim | Extract<Code, 'claim.lost' | 'claim.moving'> {
  const claim = ledger.claims.get(id)
  if (claim === undefined || claim.fence !== fence || !isLive(claim)) return 'claim.lost'
  return claim.source !== null || claim.target !== null ? 'claim.moving' : claim
}

/** The request that is decided: completed from the claim that moves, and with the present names of hosts. */
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

/**
 * The uuid of the server group that a request names only in a hint. In Juno's dictionaries a hint was enough, because the scheduler looked
 * the group up itself.
 */
export function hintedGroup({ nova, instanceGroup, schedulerHints, projectId }: RequestSpec): string | undefined {
  const [hint] = nova?.form === 'legacy' && instanceGroup === null ? (schedulerHints.group ?? []) : []
  return hint === undefined || hint === '' ? undefined : groupUuid(hint, projectId)
}

/** Adds the group that the hint names to the request, with the policy of the group's claims. */
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
 * Completes the request from the claim: its instance, its server group with the present policy, and the allowed hosts. A resize may stay on
 * its host. A migration or an evacuation must leave its host. A rebuild must stay on its host.
 */
export function requestOfMove(fleet: Fleet, { request, intent }: Pick<PlacementCall, 'request' | 'intent'>, claim: Claim): RequestSpec {
  const { groups, hosts } = fleet
  const { host, node } = hosts.get(claim.host)
  const group = claim.group === null ? undefined : groups.find(claim.group)
  // the document of a request in Nova's form is changed too, because Nova's filters read the rule of the group there
  return restated(request, {
    instanceUuids: claim.instance === null ? [] : [claim.instance],
    // a move keeps its group with the present policy, and is also kept apart from the groups that the request names
    instanceGroup:
      group === undefined
        ? null
        : {
            ...ruleOf(group),
            hosts: request.instanceGroup?.hosts ?? [],
            apartFrom: [...new Set([...(group.apartFrom ?? []), ...(request.instanceGroup?.apartFrom ?? [])])],
          },
    ...(intent === 'REBUILD' && stayingOn({ host, node }, withPresentNames(fleet, request))),
    ...(mustLeave(intent) && { ignoreHosts: withIgnored(fleet, request.ignoreHosts, [host]) }),
  })
}

/** The hosts to ignore, with further ones. These come last, so that a later move can leave them out (`repeatedRequest`). */
export function withIgnored({ hosts }: Fleet, asked: readonly string[], further: readonly string[]): readonly string[] {
  const others = presentHosts(hosts, asked).filter((host) => !further.includes(host))
  return [...others, ...new Set(further)]
}

/** A rebuild stays on its host. If the caller names another host, both conditions apply and no host meets them. */
function stayingOn({ host, node }: HostName, { requestedDestination: asked }: RequestSpec): Partial<RequestSpec> {
  const isElsewhere = (asked?.host ?? host) !== host || (asked?.node ?? node) !== node
  return isElsewhere
    ? { forceHosts: [host], requestedDestination: asked }
    : { requestedDestination: { aggregates: [], forbiddenAggregates: [], ...asked, host, node } }
}
