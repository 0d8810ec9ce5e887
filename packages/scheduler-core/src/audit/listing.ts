import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * How long reports may lag behind the claims before that is a finding, milliseconds of store time. A placed instance has to be created
 * before its host lists it, and one that has ended or moved stays listed until it is removed.
 */
export const DEFAULT_UNLISTED_AFTER_MS = 3_600_000

/** Store time, and how long reports may lag behind the claims; milliseconds. */
export interface Lag {
  readonly now: number
  readonly afterMs: number
}

/** Whether a host is in the fleet: a host that has left it cannot be found by its name. */
export const isThere = ({ hosts }: Fleet, record: HostRecord): boolean => hosts.find(record) === record

/** Whether a host may list the instance of a claim that has ended: the end was recent, so that the instance may be about to be removed. */
const isLeaving = ({ endedAt }: Claim, { now, afterMs }: Lag): boolean => endedAt !== null && now - endedAt < afterMs

/** Instances that a host lists although it has no claim for them, nor had one until recently; in the order of its report. */
export function straysOf({ stats, present, claims }: HostRecord, lag: Lag): string[] {
  if (stats.instances === null) return []
  const covered = new Set<string>()
  for (const claim of claims) if (claim.instance !== null && (isLive(claim) || isLeaving(claim, lag))) covered.add(claim.instance)
  return [...present].filter((instance) => !covered.has(instance))
}

/**
 * Hosts that list an instance now, out of the given ones: those of its claims, and those that list it without a claim. A host where its
 * claim ended recently does not count.
 */
export function listersOf(fleet: Fleet, instance: string, strays: readonly HostIndex[], lag: Lag): HostRecord[] {
  const { hosts, ledger } = fleet
  const candidates = new Set([...ledger.claimsFor(instance).map(({ host }) => host), ...strays])
  return [...candidates].flatMap((index) => {
    const record = hosts.records[index]
    // a list from before the host stopped listing instances does not count
    if (record === undefined || record.stats.instances === null || !record.present.has(instance) || !isThere(fleet, record)) return []
    const own = [...record.claims].filter((claim) => claim.instance === instance)
    // If several claims ended on one host, the last one determines how long ago the instance had to leave.
    const isGoing = !own.some(isLive) && own.some((claim) => isLeaving(claim, lag))
    return isGoing ? [] : [record]
  })
}

/**
 * Whether no report shows the instance of a claim where the claim is, though it should run there. A host without a list shows no instances:
 * it may run the instance, or another host that lists it does.
 */
export function isUnseen(fleet: Fleet, claim: Claim): boolean {
  const { instance } = claim
  // A reservation expires without a call. A moving instance is listed by one of the two hosts, so it is checked at its
  // source.
  if (instance === null || claim.state !== 'CONFIRMED' || claim.source !== null) return false
  // The instance was claimed where it ran already; the next report materialises the claim.
  return !endsOf(fleet, claim).some(({ stats, present }) => stats.instances !== null && present.has(instance))
}

/** The host of a claim, and that of the destination of its open move. */
function endsOf({ hosts, ledger }: Fleet, { host, target }: Claim): HostRecord[] {
  const destination = target === null ? undefined : ledger.claims.get(target)
  return [host, ...(destination === undefined ? [] : [destination.host])].flatMap((index) => hosts.records[index] ?? [])
}

/**
 * The store time since when no report of its host has listed the instance of a claim; null if it is listed, or need
 * not be.
 */
export function unlistedSince(fleet: Fleet, claim: Claim): number | null {
  const ends = endsOf(fleet, claim)
  if (ends.length === 0 || !isUnseen(fleet, claim) || ends.some(({ stats }) => stats.instances === null)) return null
  const destination = claim.target === null ? undefined : fleet.ledger.claims.get(claim.target)
  // The other end of the move may have been the last to list it.
  return Math.max(claim.unlistedAt ?? claim.confirmedAt ?? claim.createdAt, destination?.unlistedAt ?? 0)
}
