import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * By default, a contradiction between a host's list and the claims becomes a finding after this many milliseconds of store time (the
 * database's clock). A placed instance is created before its host lists it, and an instance that has ended or moved is listed until it is
 * removed.
 */
export const DEFAULT_UNLISTED_AFTER_MS = 3_600_000

/** The present store time, and how long reports may lag behind the claims, in milliseconds. */
export interface Lag {
  readonly now: number
  readonly afterMs: number
}

/** Whether a host is in the fleet. A host that has left it cannot be found by its name. */
export const isThere = ({ hosts }: Fleet, record: HostRecord): boolean => hosts.find(record) === record

/** Whether a host may still list the instance of an ended claim, because the end was recent and the instance may not be removed yet. */
const isLeaving = ({ endedAt }: Claim, { now, afterMs }: Lag): boolean => endedAt !== null && now - endedAt < afterMs

/** The instances that a host lists although they have no live claim on it, and had none recently. In the order of the report. */
export function straysOf({ stats, present, claims }: HostRecord, lag: Lag): string[] {
  if (stats.instances === null) return []
  const covered = new Set<string>()
  for (const claim of claims) if (claim.instance !== null && (isLive(claim) || isLeaving(claim, lag))) covered.add(claim.instance)
  return [...present].filter((instance) => !covered.has(instance))
}

/**
 * The hosts that list an instance now, among the hosts with its claims and the given hosts. A host on which the instance's claim ended
 * recently is left out.
 */
export function listersOf(fleet: Fleet, instance: string, strays: readonly HostIndex[], lag: Lag): HostRecord[] {
  const { hosts, ledger } = fleet
  const candidates = new Set([...ledger.claimsFor(instance).map(({ host }) => host), ...strays])
  return [...candidates].flatMap((index) => {
    const record = hosts.records[index]
    // the host has stopped listing instances, so its last list does not count
    if (record === undefined || record.stats.instances === null || !record.present.has(instance) || !isThere(fleet, record)) return []
    const own = [...record.claims].filter((claim) => claim.instance === instance)
    // If several claims ended on one host, the last end determines since when the instance should be gone.
    const isGoing = !own.some(isLive) && own.some((claim) => isLeaving(claim, lag))
    return isGoing ? [] : [record]
  })
}

/**
 * Whether no report shows the instance of a claim on its expected hosts. A host without an instance list is not evidence: the host may run
 * the instance, or another host that lists it may.
 */
export function isUnseen(fleet: Fleet, claim: Claim): boolean {
  const { instance } = claim
  // A reservation expires without a call. A moving instance is listed by one of its two hosts, so only the source claim is checked.
  if (instance === null || claim.state !== 'CONFIRMED' || claim.source !== null) return false
  // If the instance was claimed where it already ran, the next report materialises the claim.
  return !endsOf(fleet, claim).some(({ stats, present }) => stats.instances !== null && present.has(instance))
}

/** The host of a claim, and the destination of its open move. */
function endsOf({ hosts, ledger }: Fleet, { host, target }: Claim): HostRecord[] {
  const destination = target === null ? undefined : ledger.claims.get(target)
  return [host, ...(destination === undefined ? [] : [destination.host])].flatMap((index) => hosts.records[index] ?? [])
}

/** The store time since which no report of its host has listed the instance of a claim. Null if the instance is listed, or need not be. */
export function unlistedSince(fleet: Fleet, claim: Claim): number | null {
  const ends = endsOf(fleet, claim)
  if (ends.length === 0 || !isUnseen(fleet, claim) || ends.some(({ stats }) => stats.instances === null)) return null
  const destination = claim.target === null ? undefined : fleet.ledger.claims.get(claim.target)
  // The destination of the move may have listed the instance last.
  return Math.max(claim.unlistedAt ?? claim.confirmedAt ?? claim.createdAt, destination?.unlistedAt ?? 0)
}
