import { SharedMap } from '../fleet/shared-map.ts'
import { type Claim, isLive } from './claim.ts'

/** Within which an instance is one. */
export interface InstanceScope {
  readonly account: string
  readonly project: string | null
}

/** The scope of a claim: a move by another account leaves its instance where it counted. */
export const scopeOf = ({ account, project, instanceAccount }: Pick<Claim, 'account' | 'project' | 'instanceAccount'>): InstanceScope => ({
  account: instanceAccount ?? account,
  project,
})

/**
 * Whether an instance of one name is the same for both: within a project, or, where one of the two names none, within an account. So a
 * claim from before projects were kept counts for its account. It is symmetric.
 */
export const isSameScope = (a: InstanceScope, b: InstanceScope): boolean =>
  a.project !== null && b.project !== null ? a.project === b.project : a.account === b.account

/** Whether a reservation's time is over at a store time, though no entry has said so yet. */
export const isOverdue = ({ state, expiresAt }: Claim, now: number): boolean =>
  state === 'RESERVED' && expiresAt !== null && expiresAt <= now

/**
 * The live claims of each instance, by their ids: what a request names is found without looking at all claims. It follows from the
 * claims, so that no checkpoint has it; copies of a fleet share it (shared-map.ts).
 */
export class InstanceIndex {
  #ids: SharedMap<readonly string[]>

  constructor(ids: SharedMap<readonly string[]> = new SharedMap()) {
    this.#ids = ids
  }

  /** Ids of live claims, in the order in which they were made. */
  of(instance: string): readonly string[] {
    return this.#ids.get(instance) ?? []
  }

  /** Instances that have a live claim. */
  names(): Iterable<string> {
    return this.#ids.keys()
  }

  add({ instance, id }: Claim): void {
    if (instance !== null) this.#ids.set(instance, [...this.of(instance), id])
  }

  remove({ instance, id }: Claim): void {
    if (instance === null) return
    const others = this.of(instance).filter((other) => other !== id)
    if (others.length === 0) this.#ids.delete(instance)
    else this.#ids.set(instance, others)
  }

  copy(): InstanceIndex {
    return new InstanceIndex(this.#ids.copy())
  }
}

/** One live claim of an instance: both ends of an open move are one. */
export interface LiveClaim {
  /** The claim, or the source of its open move. */
  readonly claim: Claim
  /** The destination of its open move. */
  readonly destination: Claim | null
}

/** The live claims among some, in their order, with both ends of an open move as one. */
export function liveClaimsOf(claims: Iterable<Claim>): readonly LiveClaim[] {
  const live = new Map<string, Claim>()
  for (const claim of claims) if (isLive(claim)) live.set(claim.id, claim)
  const found: LiveClaim[] = []
  for (const claim of live.values())
    if (claim.source === null || !live.has(claim.source))
      found.push({ claim, destination: claim.target === null ? null : (live.get(claim.target) ?? null) })
  return found
}
