import { type Claim, claimsKeeping, type Fleet, type HostRecord, SLICE, type Steps, sortInSteps } from '@gantt/scheduler-core'

/** Claims that one answer lists; how many there are is answered too. */
export const LISTED_CLAIMS = 100

/** What a host takes along, or gives up, worked out before it is done. */
export interface LeavingImpact {
  /** Live claims that would end or did, or follow their host to its new name; at most 100, oldest first. */
  readonly claims: readonly Claim[]
  readonly claimCount: number
  /** Names of aggregates whose lists change. */
  readonly aggregates: readonly string[]
  /** Server groups of those claims. */
  readonly serverGroups: readonly string[]
}

export const NO_IMPACT: LeavingImpact = { claims: [], claimCount: 0, aggregates: [], serverGroups: [] }

/** The claims that keep hosts of a fleet where they are, oldest first. With pauses, during which nobody may write the fleet. */
export function* claimsOn({ now }: Fleet, records: readonly HostRecord[]): Steps<Claim[]> {
  const kept: Claim[] = []
  for (const [i, record] of records.entries()) {
    if (i % SLICE === SLICE - 1) yield
    for (const claim of claimsKeeping(record, now)) kept.push(claim)
  }
  return yield* sortInSteps(kept, (a, b) => a.fence - b.fence)
}

/** What follows where hosts of a fleet leave, or get other names. With pauses, as above. */
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
