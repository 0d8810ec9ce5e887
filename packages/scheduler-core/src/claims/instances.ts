import { type Claim, isLive } from '../records/claim.ts'
import type { Owner } from '../values/owner.ts'
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

/** The ids of more than this many claims of one instance are kept in a set, so that a change does not copy all of them. */
const FEW = 8

/** The ids of many claims of one instance. Only the index with the token `owner` may write the set. */
interface ManyIds {
  readonly owner: Owner
  readonly ids: Set<string>
}

/**
 * The ids of live claims, indexed by instance. Checkpoints do not contain this index, because it can be computed from the claims. Copies of
 * a fleet share the index until one copy writes it.
 */
export class InstanceIndex {
  #ids: SharedMap<readonly string[] | ManyIds>
  #owner: Owner = {}

  constructor(ids: SharedMap<readonly string[] | ManyIds> = new SharedMap()) {
    this.#ids = ids
  }

  /** The ids of an instance's live claims, in the order of creation. */
  of(instance: string): readonly string[] {
    const known = this.#ids.get(instance) ?? []
    return 'ids' in known ? [...known.ids] : known
  }

  /** True if the instance has a live claim with this id. */
  has(instance: string, id: string): boolean {
    const known = this.#ids.get(instance) ?? []
    return 'ids' in known ? known.ids.has(id) : known.includes(id)
  }

  /** The ids of instances that have a live claim. */
  names(): Iterable<string> {
    return this.#ids.keys()
  }

  add({ instance, id }: Claim): void {
    if (instance === null) return
    const known = this.#ids.get(instance) ?? []
    if ('ids' in known || known.length >= FEW) this.#own(instance, known).add(id)
    else this.#ids.set(instance, [...known, id])
  }

  remove({ instance, id }: Claim): void {
    if (instance === null) return
    const known = this.#ids.get(instance) ?? []
    if ('ids' in known) {
      const ids = this.#own(instance, known)
      ids.delete(id)
      if (ids.size <= FEW / 2) this.#ids.set(instance, [...ids])
      return
    }
    const others = known.filter((other) => other !== id)
    if (others.length === 0) this.#ids.delete(instance)
    else this.#ids.set(instance, others)
  }

  copy(): InstanceIndex {
    this.#owner = {}
    return new InstanceIndex(this.#ids.copy())
  }

  /** The set of an instance's ids, for writing. Its ids are copied if they are not in a set yet, or if another index shares the set. */
  #own(instance: string, known: readonly string[] | ManyIds): Set<string> {
    if ('ids' in known && known.owner === this.#owner) return known.ids
    const ids = new Set('ids' in known ? known.ids : known)
    this.#ids.set(instance, { owner: this.#owner, ids })
    return ids
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
