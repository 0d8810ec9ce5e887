import { type Claim, isLive } from '../claims/claim.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../fleet/hosts.ts'
import type { HostIndex } from '../host-index.ts'

/**
 * How long the world may lag behind the claims before that is a finding, milliseconds of store time. An instance that was placed has to
 * be made before its host lists it, and one that is ended or has moved goes on until it is taken down.
 */
export const DEFAULT_UNLISTED_AFTER_MS = 3_600_000

/** Store time, and how long the world may lag behind the claims; milliseconds. */
export interface Lag {
  readonly now: number
  readonly afterMs: number
}

/** Whether a host is there: what has left the fleet goes by no name. */
export const isThere = ({ hosts }: Fleet, record: HostRecord): boolean => hosts.find(record) === record

/** Whether a host may still list the instance of a claim that has ended: not long ago, so that it may be on its way out. */
const isLeaving = ({ endedAt }: Claim, { now, afterMs }: Lag): boolean => endedAt !== null && now - endedAt < afterMs

/** Instances that a host lists and for which no claim is held there, nor was until not long ago; in the order of its report. */
export function straysOf({ stats, present, claims }: HostRecord, lag: Lag): string[] {
  if (stats.instances === null) return []
  const covered = new Set<string>()
  for (const claim of claims) if (claim.instance !== null && (isLive(claim) || isLeaving(claim, lag))) covered.add(claim.instance)
  return [...present].filter((instance) => !covered.has(instance))
}

/**
 * Hosts that list an instance now, of those that may: those of its claims, and those that list it without a claim. Where its claim ended
 * not long ago, a host does not count.
 */
export function listersOf(fleet: Fleet, instance: string, strays: readonly HostIndex[], lag: Lag): HostRecord[] {
  const { hosts, ledger } = fleet
  const candidates = new Set([...ledger.claimsFor(instance).map(({ host }) => host), ...strays])
  return [...candidates].flatMap((index) => {
    const record = hosts.records[index]
    // what a host that lists nothing any more listed before is no news
    if (record === undefined || record.stats.instances === null || !record.present.has(instance) || !isThere(fleet, record)) return []
    const own = [...record.claims].filter((claim) => claim.instance === instance)
    // of several claims that ended there the last says how long ago it was
    const isGoing = !own.some(isLive) && own.some((claim) => isLeaving(claim, lag))
    return isGoing ? [] : [record]
  })
}

/**
 * Whether no report shows the instance of a claim where the claim is, though it should run. A host that lists nothing shows nobody's: it may
 * run the instance, or another host that lists it does.
 */
export function isUnseen(fleet: Fleet, claim: Claim): boolean {
  const { instance } = claim
  // a reservation ends by itself, and an instance that moves is listed by one of the two hosts: it is asked for at its source
  if (instance === null || claim.state !== 'CONFIRMED' || claim.source !== null) return false
  // claimed where it ran already: the next report materialises it
  return !endsOf(fleet, claim).some(({ stats, present }) => stats.instances !== null && present.has(instance))
}

/** The host of a claim, and that of the destination of its open move. */
function endsOf({ hosts, ledger }: Fleet, { host, target }: Claim): HostRecord[] {
  const destination = target === null ? undefined : ledger.claims.get(target)
  return [host, ...(destination === undefined ? [] : [destination.host])].flatMap((index) => hosts.records[index] ?? [])
}

/** Since when no report of its host has listed the instance of a claim, store time; null where it is listed, or need not be. */
export function unlistedSince(fleet: Fleet, claim: Claim): number | null {
  const ends = endsOf(fleet, claim)
  if (ends.length === 0 || !isUnseen(fleet, claim) || ends.some(({ stats }) => stats.instances === null)) return null
  const destination = claim.target === null ? undefined : fleet.ledger.claims.get(claim.target)
  // the other end of the move may have been the last to list it
  return Math.max(claim.unlistedAt ?? claim.confirmedAt ?? claim.createdAt, destination?.unlistedAt ?? 0)
}
