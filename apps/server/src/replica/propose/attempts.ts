import {
  type Claim,
  type Fleet,
  type HostName,
  OWNERS_ATTEMPTS,
  presentHosts,
  presentName,
  type RequestSpec,
  restated,
  STRICT_CLAIMS,
  scopeOf,
} from '@gantt/scheduler-core'
import { triedHosts } from '@gantt/scheduler-core/nova'
import { requestOfMove, withIgnored } from './moves.ts'
import type { PlacementCall } from './placement.ts'

/** The result for a call about an instance with a live claim: the call is refused, or it is a further attempt to place the instance. */
export type Found =
  | { readonly type: 'taken'; readonly claim: Claim }
  | {
      readonly type: 'attempt'
      readonly source: Claim
      /** The claim of an earlier attempt. It is released first. */
      readonly ends: Claim | undefined
      readonly request: RequestSpec
    }

/**
 * Returns the result for a call if one of its instances has a live claim at a store time, and otherwise undefined. Always undefined below
 * feature level STRICT_CLAIMS, and for calls that do not claim resources for new instances.
 */
export function findInstances(fleet: Fleet, call: PlacementCall, now: number): Found | undefined {
  const { request, account } = call
  if (fleet.featureLevel < STRICT_CLAIMS || call.source !== null || call.mode === 'NONE') return undefined
  const scope = { account, project: request.projectId }
  for (const instance of request.instanceUuids) {
    const [first, ...others] = fleet.ledger.rivalsOf(instance, scope, now)
    if (first === undefined) continue
    const { claim: source } = first
    const ends = source.target === null ? undefined : fleet.ledger.claims.get(source.target)
    const both = ends === undefined ? [source] : [source, ends]
    const mayMove =
      others.length === 0 && request.numInstances === 1 && isOf(fleet, source, account) && (ends?.account ?? account) === account
    if (!mayMove || !isFurtherAttempt(fleet, call, both)) return { type: 'taken', claim: source }
    return { type: 'attempt', source, ends, request: requestOfAttempt(fleet, call, source) }
  }
  return undefined
}

/** Returns true if the instance of a claim belongs to an account. A move of the claim by another account does not change this. */
const isOf = ({ featureLevel }: Fleet, claim: Claim, account: string): boolean =>
  (featureLevel < OWNERS_ATTEMPTS ? claim : scopeOf(claim)).account === account

/** Returns true if Nova already tried a host of the claim, or the call claims an alternate of the claim's decision. */
const isFurtherAttempt = (fleet: Fleet, { request, takesAlternate }: PlacementCall, claims: readonly Claim[]): boolean =>
  takesAlternate === true || triedHosts(request).some((tried) => claims.some((claim) => isOn(fleet, claim, tried)))

/**
 * Returns true if a claim is on a host that was tried. Compares the node too if the host has several nodes, and uses the present name of a
 * host that was replaced since the attempt.
 */
function isOn({ hosts }: Fleet, claim: Claim, tried: HostName): boolean {
  const { host, node } = hosts.get(claim.host)
  return presentHosts(hosts, [tried.host]).includes(host) && (presentName(hosts, tried).node === node || hosts.nodesOf(host).length === 1)
}

/**
 * The request of a further attempt. It keeps the instance's server group and excludes every host that was tried.
 */
function requestOfAttempt(fleet: Fleet, call: PlacementCall, source: Claim): RequestSpec {
  const request = requestOfMove(fleet, { request: call.request, intent: 'RESIZE' }, source)
  return withoutHosts(fleet, request, [fleet.hosts.get(source.host).host, ...hostsTried(fleet, call)])
}

/**
 * The request of a call whose reservations end when their hosts count the instances. Such a host counts an instance before its start fails,
 * so at a further attempt no claim is left by which the attempt could be recognised. Undefined for other calls, and if no host was tried.
 */
export function requestAfterCounted(fleet: Fleet, call: PlacementCall): RequestSpec | undefined {
  const tried = call.untilCounted === true ? hostsTried(fleet, call) : []
  return tried.length === 0 ? undefined : withoutHosts(fleet, call.request, tried)
}

/** The present names of the hosts that the request says were tried. */
const hostsTried = ({ hosts }: Fleet, { request }: PlacementCall): readonly string[] =>
  presentHosts(
    hosts,
    triedHosts(request).map(({ host }) => host),
  )

/** A request that excludes further hosts. A host with several nodes is not excluded, because another node can fit. */
function withoutHosts(fleet: Fleet, request: RequestSpec, excluded: readonly string[]): RequestSpec {
  const left = excluded.filter((host) => fleet.hosts.nodesOf(host).length === 1)
  return restated(request, { ignoreHosts: withIgnored(fleet, request.ignoreHosts, left) })
}
