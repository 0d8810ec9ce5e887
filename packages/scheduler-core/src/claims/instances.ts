import { type Claim, isLive } from '../records/claim.ts'
import { SharedMap } from '../values/shared-map.ts'

/** The scope within which an instance id is unique. */
export interface InstanceScope {
  readonly account: string
  readonly project: string | null
}

/** The scope of a claim's instance. A move by another account does not change this scope. */
export const scopeOf = ({ account, project, instanceAccount }: Pick<Claim, 'account' | 'project' | 'instanceAccount'>): InstanceScope => ({
  account: instanceAccount ?? account,
  project,
})

/**
 * Whether the same instance id means the same instance in both scopes. If both scopes have a project, the projects must be equal,
 * otherwise the accounts. A claim from before projects were stored is therefore compared by its account. The relation is symmetric.
 */
export const isSameScope = (a: InstanceScope, b: InstanceScope): boolean =>
  a.project !== null && b.project !== null ? a.project === b.project : a.account === b.account

/** Whether the time of a reservation is over at a store time although no log entry has expired it yet. */
export const isOverdue = ({ state, expiresAt }: Claim, now: number): boolean =>
  state === 'RESERVED' && expiresAt !== null && expiresAt <= now

/**
 * An index of the ids of live claims by instance. Checkpoints do not contain it, because it can be computed from the claims. Copies of a
 * fleet share it (shared-map.ts).
 */
export class InstanceIndex {
  #ids: SharedMap<readonly string[]>

  constructor(ids: SharedMap<readonly string[]> = new SharedMap()) {
    this.#ids = ids
  }

  /** The ids of an instance's live claims, in the order of creation. */
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

/** A live claim of an instance, and the destination of its move if one is open. */
export interface LiveClaim {
  /** The claim, or the source of its open move. */
  readonly claim: Claim
  /** The destination of its open move. */
  readonly destination: Claim | null
}

/** The live claims among the given claims, in their order. Both ends of an open move are returned as one. */
export function liveClaimsOf(claims: Iterable<Claim>): readonly LiveClaim[] {
  const live = new Map<string, Claim>()
  for (const claim of claims) if (isLive(claim)) live.set(claim.id, claim)
  const found: LiveClaim[] = []
  for (const claim of live.values())
    if (claim.source === null || !live.has(claim.source))
      found.push({ claim, destination: claim.target === null ? null : (live.get(claim.target) ?? null) })
  return found
}
