import { type Claim, type ClaimState, type Fleet, isLive } from '@gantt/scheduler-core'
import { eachInPieces } from '../../event-loop/lists.ts'
import { firstOf, keyOf, type List, type Page, type PageArgs, toCursor } from '../calls/paging.ts'

/**
 * A page of the requested claims of a fleet, oldest first. A fleet keeps millions of ended claims, packed: each is
 * unpacked for one check and dropped, so that no more than two pages of them are held at once, and none is unpacked if
 * only live ones are requested. Throws InputFault for a page that cannot be read, and CallerGoneError.
 */
export async function pageOfAllClaims(
  list: List,
  { states, ...args }: PageArgs & { readonly states?: readonly ClaimState[] | null | undefined },
  fleet: Fleet,
  isAsked: (claim: Claim) => boolean,
): Promise<Page<Claim>> {
  const first = firstOf(list, args)
  const [after] = keyOf<readonly [number]>(list, args, ['number']) ?? [Number.NEGATIVE_INFINITY]
  const oldest = new Oldest(first + 1)
  let count = 0
  let before = 0
  await eachInPieces(candidatesIn(fleet, states), (claim) => {
    if ((states && !states.includes(claim.state)) || !isAsked(claim)) return
    count++
    if (claim.fence > after) oldest.add(claim)
    else before++
  })
  const found = oldest.all()
  return {
    edges: found.slice(0, first).map((node) => ({ cursor: toCursor(list, [node.fence]), node })),
    hasNextPage: found.length > first,
    hasPreviousPage: before > 0,
    totalCount: () => count,
  }
}

/** The claims that contain all those in some states: ended ones are packed, live ones never. */
function candidatesIn({ ledger }: Fleet, states: readonly ClaimState[] | null | undefined): Iterable<Claim> {
  return states?.every((state) => isLive({ state })) ? ledger.claimsInFull.values() : ledger.claims.values()
}

/** The oldest of the added claims, up to a number. */
class Oldest {
  readonly #most: number
  #kept: Claim[] = []
  /** Whether no claim in the list is newer. */
  #limit = Number.POSITIVE_INFINITY

  constructor(most: number) {
    this.#most = most
  }

  add(claim: Claim): void {
    if (claim.fence > this.#limit) return
    this.#kept.push(claim)
    if (this.#kept.length < 2 * this.#most) return
    this.#kept = this.all()
    this.#limit = this.#kept.at(-1)?.fence ?? this.#limit
  }

  all(): Claim[] {
    return this.#kept.toSorted((a, b) => a.fence - b.fence).slice(0, this.#most)
  }
}
