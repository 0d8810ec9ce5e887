import { type Claim, isLive } from '../records/claim.ts'
import { SharedMap } from '../values/shared-map.ts'

/** The scope within which an instance id is unique. */
export interface InstanceScope {
  readonly account: string
  readonly project: string | null
}

/** The scope of a claim; a move by another account keeps the scope of the instance. */
export const scopeOf = ({ account, project, instanceAccount }: Pick<Claim, 'account' | 'project' | 'instanceAccount'>): InstanceScope => ({
  account: instanceAccount ?? account,
  project,
})

/**
 * Whether the same instance id means the same instance in both scopes: within a project or, if one scope has no project, within an
 * account. So a claim from before projects were stored counts for its account. The relation is symmetric.
 */
export const isSameScope = (a: InstanceScope, b: InstanceScope): boolean =>
  a.project !== null && b.project !== null ? a.project === b.project : a.account === b.account

/** Whether a reservation's time is over at a store time, although no entry has expired it yet. */
export const isOverdue = ({ state, expiresAt }: Claim, now: number): boolean =>
  state === 'RESERVED' && expiresAt !== null && expiresAt <= now

/**
 * An index of the ids of live claims by instance. It can be computed from the claims, so checkpoints do not contain it; copies of a
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

/** A live claim of an instance, with the destination if a move of it is open. */
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
