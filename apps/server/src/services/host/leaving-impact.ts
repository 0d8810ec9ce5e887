import { type Claim, claimsKeeping, type Fleet, type HostRecord, SLICE, type Steps, sortInSteps } from '@gantt/scheduler-core'

/** An answer lists at most this many claims, and has the count of all claims. */
export const LISTED_CLAIMS = 100

/** The effects of removing or renaming a host, computed in advance. */
export interface LeavingImpact {
  /**
   * For a removed host: the live claims that end. For a renamed host: the live claims that stay on the host under its new name. At most 100
   * are listed, oldest first.
   */
  readonly claims: readonly Claim[]
  readonly claimCount: number
  /** The names of the aggregates that contain the hosts and therefore change. */
  readonly aggregates: readonly string[]
  /** The server groups of all affected claims. */
  readonly serverGroups: readonly string[]
}

export const NO_IMPACT: LeavingImpact = { claims: [], claimCount: 0, aggregates: [], serverGroups: [] }

/** The live claims that prevent the removal of hosts, oldest first. The fleet must not be written until this generator ends. */
export function* claimsOn({ now }: Fleet, records: readonly HostRecord[]): Steps<Claim[]> {
  const kept: Claim[] = []
  for (const [i, record] of records.entries()) {
    if (i % SLICE === SLICE - 1) yield
    for (const claim of claimsKeeping(record, now)) kept.push(claim)
  }
  return yield* sortInSteps(kept, (a, b) => a.fence - b.fence)
}

/** Computes the effects of removing or renaming hosts, in steps. */
export function* impactOfLeaving(
  fleet: Fleet,
  records: readonly HostRecord[],
  isRename: (host: string) => boolean = () => false,
): Steps<LeavingImpact> {
  const { aggregates, hosts } = fleet
  const claims = yield* claimsOn(fleet, records)
  const left = new Set(records.map(({ index }) => index))
  const changed = new Set<string>()
  for (const [i, host] of [...new Set(records.map((record) => record.host))].entries()) {
    if (i % SLICE === SLICE - 1) yield
    if (!isRename(host) && !hosts.nodesOf(host).every((index) => left.has(index))) continue
    for (const { name } of aggregates.of(host)) changed.add(name)
  }
  yield
  return {
    claims: claims.slice(0, LISTED_CLAIMS),
    claimCount: claims.length,
    aggregates: [...changed].sort(),
    serverGroups: [...new Set(claims.flatMap(({ group }) => group ?? []))].sort(),
  }
}
