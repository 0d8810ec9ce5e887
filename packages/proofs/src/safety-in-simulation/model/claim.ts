import type { ModelChange } from './entry.ts'
import type { ModelFleet } from './fleet.ts'
import type { ModelClaim } from './state.ts'

/** From this feature level on, an instance has at most one live claim. */
export const ONE_CLAIM = 8

export const isLiveState = (state: string): boolean => ['RESERVED', 'CONFIRMED', 'MATERIALISED'].includes(state)

/** The indices of the GPUs in a part of a proposal. */
export const gpusOf = ({ grants }: ModelChange): number[] => (grants.gpu ?? []).map(({ index }: { index: number }) => index)

export function isLive(claim: ModelClaim | undefined): claim is ModelClaim {
  return claim !== undefined && isLiveState(claim.state)
}

/** Whether the expiry of a reservation has passed, but no log entry has ended the reservation yet. */
export function isOverdue(fleet: ModelFleet, { state, expiresAt }: ModelClaim): boolean {
  return state === 'RESERVED' && expiresAt !== null && expiresAt <= fleet.now
}

/**
 * The live claims of an instance within a project. If the given project or that of a claim is not known, the accounts are compared instead.
 */
export function claimsOf(
  fleet: ModelFleet,
  instance: string | null,
  { project, within }: { project: string | null; within: string },
): ModelClaim[] {
  return fleet.claims.filter(
    (claim) =>
      instance !== null &&
      claim.instance === instance &&
      isLive(claim) &&
      (project !== null && claim.project !== null ? project === claim.project : within === claim.within),
  )
}

/** The project and account within which the instances of a proposal are unique. */
export function scopeOf(change: ModelChange): { project: string | null; within: string } {
  return { project: change.type === 'claims' ? change.decision.request.projectId : change.project, within: change.account }
}

/**
 * From this feature level on, an instance that is resized on its own host can keep its GPUs. It can also keep its amount of a class that
 * the host no longer reports.
 */
export const KEEPS_OWN = 10

/**
 * Whether a move on the same host needs only the difference between the new and the old size. This is true if neither the source nor the
 * destination has GPUs. From KEEPS_OWN on, it is also true if all GPUs of the destination are GPUs of the source.
 */
export function takesDifference(fleet: ModelFleet, host: string, gpus: number[], source: ModelClaim): boolean {
  if (host !== source.host) return false
  if (fleet.level < KEEPS_OWN) return gpus.length === 0 && source.gpus.length === 0
  return new Set(gpus).size === gpus.length && gpus.every((gpu) => source.gpus.includes(gpu))
}

/** Whether a claim is the new claim of a resize on the same host that is not confirmed yet. */
export function growsInPlace(fleet: ModelFleet, claim: ModelClaim): boolean {
  return claim.source !== null && fleet.claim(claim.source)?.host === claim.host
}

/** From this feature level on, an ended claim still holds the amounts that no report has counted. */
export const ENDS_AS_HELD = 10

/**
 * From this feature level on, a report that lists the instance of an unconfirmed claim counts the claim's use only if the host's previous
 * report did not list the instance.
 */
export const LISTED_ANEW = 10

/** Marks all resources of the claim as not counted in any report. */
export function holdInAddition(claim: ModelClaim): void {
  claim.extra = { ...claim.amounts }
  claim.extraGpus = true
}

/** Marks the claim as included in the report of its host, or as a claim that does not hold anything. */
export function holdNothingInAddition(claim: ModelClaim): void {
  claim.extra = null
  claim.extraGpus = false
}

/** Below this feature level, a report without a list of instances keeps the previous list of the host. */
const LISTS_NOTHING = 9

/** Whether the host of the claim lists its instance. */
export function isListed(fleet: ModelFleet, claim: ModelClaim): boolean {
  const host = fleet.host(claim.host)
  if (host === undefined || claim.instance === null || (host.listsNothing && fleet.level >= LISTS_NOTHING)) return false
  return host.present.includes(claim.instance)
}

export function newClaim(fleet: ModelFleet, change: ModelChange, part: ModelChange, fence: number): ModelClaim {
  return {
    id: part.claim,
    account: change.account,
    project: fleet.level >= ONE_CLAIM && change.type !== 'move' ? scopeOf(change).project : null,
    within: change.account,
    key: change.key,
    instance: part.instance,
    host: part.host,
    amounts: part.grants.classes ?? {},
    gpus: gpusOf(part),
    group: change.group?.uuid ?? null,
    fence,
    state: change.mode === 'RESERVE' ? 'RESERVED' : 'CONFIRMED',
    isConfirmed: change.mode !== 'RESERVE',
    expiresAt: change.mode === 'RESERVE' ? fleet.now + change.ttlMs : null,
    untilCounted: change.untilCounted === true,
    heldUntil: null,
    source: null,
    target: null,
    extra: null,
    extraGpus: false,
    createdAt: fleet.now,
    askedAt: fleet.now,
    unlistedAt: null,
    endedAt: null,
    lingers: false,
  }
}
