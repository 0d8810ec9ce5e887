import { type Claim, isLive } from '../records/claim.ts'
import { SharedMap } from '../values/shared-map.ts'

/** The scope of an instance id. Within one scope, an id means one instance. */
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
 * Returns true if an instance id means the same instance in both scopes. If both scopes have a project, the projects must be equal.
 * Otherwise the accounts must be equal, because claims of older releases have no project.
 */
export const isSameScope = (a: InstanceScope, b: InstanceScope): boolean =>
  a.project !== null && b.project !== null ? a.project === b.project : a.account === b.account

/** Returns true if the end time of a reservation is not after the store time `now`, but no log entry has expired the reservation yet. */
export const isOverdue = ({ state, expiresAt }: Claim, now: number): boolean =>
  state === 'RESERVED' && expiresAt !== null && expiresAt <= now

/**
 * The ids of live claims, indexed by instance. Checkpoints do not contain this index, because it can be computed from the claims. Copies of
 * a fleet share the index until one copy writes it.
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

  /** The ids of instances that have a live claim. */
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

/** A live claim of an instance. If the instance is being moved, this is the source claim together with the destination claim. */
export interface LiveClaim {
  /** The claim. If a move of the instance is open, the source claim of the move. */
  readonly claim: Claim
  /** The destination claim of the open move. Null if no move is open. */
  readonly destination: Claim | null
}

/**
 * Returns the live claims among `claims`, in their order. The source and the destination claim of an open move are returned as one item.
 */
export function liveClaimsOf(claims: Iterable<Claim>): readonly LiveClaim[] {
  const live = new Map<string, Claim>()
  for (const claim of claims) if (isLive(claim)) live.set(claim.id, claim)
  const found: LiveClaim[] = []
  for (const claim of live.values())
    if (claim.source === null || !live.has(claim.source))
      found.push({ claim, destination: claim.target === null ? null : (live.get(claim.target) ?? null) })
  return found
}
