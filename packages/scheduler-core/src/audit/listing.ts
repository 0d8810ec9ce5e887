import type { Fleet } from '../fleet/fleet.ts'
import type { HostRecord } from '../hosts/hosts.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { HostIndex } from '../values/host-index.ts'

/**
 * By default, an instance that no host lists, or that a host lists after its claim ended, becomes a finding after this many milliseconds of
 * store time (the database's clock). Such contradictions are normal for a short time: a host lists a new instance only after it was
 * created, and an ended or moved instance until it is removed.
 */
export const DEFAULT_UNLISTED_AFTER_MS = 3_600_000

/** A finding about an instance names at most this many of the hosts that list it. Its text counts the other hosts. */
export const NAMED_HOSTS = 10

/** The present store time, and how long reports can lag behind the claims, in milliseconds. */
export interface Lag {
  readonly now: number
  readonly afterMs: number
}

/** True if the host is still in the fleet. A host that left the fleet is not found by its name. */
export const isThere = ({ hosts }: Fleet, record: HostRecord): boolean => hosts.find(record) === record

/** True if the claim ended so recently that its host may still have the instance and list it. */
const isLeaving = ({ endedAt }: Claim, { now, afterMs }: Lag): boolean => endedAt !== null && now - endedAt < afterMs

/** The instances that a host lists without a live or recently ended claim on the host, in the order of the report. */
export function straysOf({ stats, present, claims }: HostRecord, lag: Lag): string[] {
  if (stats.instances === null) return []
  const covered = new Set<string>()
  for (const claim of claims) if (claim.instance !== null && (isLive(claim) || isLeaving(claim, lag))) covered.add(claim.instance)
  return [...present].filter((instance) => !covered.has(instance))
}

/**
 * The hosts that list an instance now. Only the hosts of its claims and the hosts in `strays` are searched. A host on which the claim of
 * the instance ended recently is left out.
 */
export const listersOf = (fleet: Fleet, instance: string, strays: readonly HostIndex[], lag: Lag): HostRecord[] =>
  [...candidatesFor(fleet, instance, strays)]
    .filter((index) => isLister(fleet, instance, index, lag))
    .map((index) => fleet.hosts.get(index))

/** The hosts that may list an instance: the hosts of its claims, and the hosts in `strays`. */
export const candidatesFor = ({ ledger }: Fleet, instance: string, strays: readonly HostIndex[]): ReadonlySet<HostIndex> => {
  const candidates = new Set(ledger.claimsFor(instance).map(({ host }) => host))
  for (const index of strays) candidates.add(index)
  return candidates
}

/** True if the host lists the instance now. False if the claim of the instance ended recently on the host. */
export function isLister(fleet: Fleet, instance: string, index: HostIndex, lag: Lag): boolean {
  const record = fleet.hosts.records[index]
  // A host whose newest report has no list does not count, because its `present` is from an older report.
  if (record === undefined || record.stats.instances === null || !record.present.has(instance) || !isThere(fleet, record)) return false
  const own = [...record.claims].filter((claim) => claim.instance === instance)
  // If several claims of the instance ended on this host, the claim that ended last decides.
  return own.some(isLive) || !own.some((claim) => isLeaving(claim, lag))
}

/**
 * True if no claim says where an instance runs: it has no live claim, or all its live claims are reservations. `claims` are its live claims.
 * A reservation does not explain that another host lists the instance.
 */
export const isReservedOnly = (claims: readonly Claim[]): boolean => claims.every(({ state }) => state === 'RESERVED')

/**
 * True if neither the host of a confirmed claim nor the destination of its open move lists the instance. A host whose report has no list of
 * instances is treated as if it did not list the instance.
 */
export function isUnseen(fleet: Fleet, claim: Claim): boolean {
  const { instance } = claim
  // A reservation expires by itself. In an open move, either host can list the instance. The move is therefore checked only once, with its
  // source claim.
  if (instance === null || claim.state !== 'CONFIRMED' || claim.source !== null) return false
  // A claim of an instance that already ran on the host is CONFIRMED until the next report, although the host lists the instance.
  return !endsOf(fleet, claim).some(({ stats, present }) => stats.instances !== null && present.has(instance))
}

/** The host of a claim, and the destination host if the claim has an open move. */
function endsOf({ hosts, ledger }: Fleet, { host, target }: Claim): HostRecord[] {
  const destination = target === null ? undefined : ledger.claims.get(target)
  return [host, ...(destination === undefined ? [] : [destination.host])].flatMap((index) => hosts.records[index] ?? [])
}

/**
 * The store time since which no host of a confirmed claim has listed its instance. Null if a host of the claim lists the instance, if a
 * host of the claim reports no list, or if the claim is not confirmed.
 */
export function unlistedSince(fleet: Fleet, claim: Claim): number | null {
  const ends = endsOf(fleet, claim)
  if (ends.length === 0 || !isUnseen(fleet, claim) || ends.some(({ stats }) => stats.instances === null)) return null
  const destination = claim.target === null ? undefined : fleet.ledger.claims.get(claim.target)
  // The destination host of the move may have been the last host that listed the instance.
  return Math.max(claim.unlistedAt ?? claim.confirmedAt ?? claim.createdAt, destination?.unlistedAt ?? 0)
}
