import { type Claim, type ClaimState, type Fleet, isLive } from '@gantt/scheduler-core'
import { eachYielding } from '../../event-loop/lists.ts'
import { firstOf, keyOf, type List, type Page, type PageArgs, toCursor } from '../calls/paging.ts'

/**
 * A page of the requested claims of a fleet, oldest first. A fleet stores millions of ended claims in packed form. Each ended claim is
 * unpacked, checked, and dropped if it is not on the page. Therefore at most two pages of unpacked claims are in memory. If only live
 * claims are requested, no ended claim is unpacked. Throws InputFault for an invalid page argument, and CallerGoneError if the caller
 * disconnects.
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
  const asked = states && new Set(states)
  let count = 0
  let before = 0
  await eachYielding(candidatesIn(fleet, states), (claim) => {
    if ((asked && !asked.has(claim.state)) || !isAsked(claim)) return
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

/** A superset of the claims in the requested states. If only live states are requested, the packed ended claims are skipped. */
function candidatesIn({ ledger }: Fleet, states: readonly ClaimState[] | null | undefined): Iterable<Claim> {
  return states?.every((state) => isLive({ state })) ? ledger.claimsInFull.values() : ledger.claims.values()
}

/** Collects the oldest claims, at most as many as requested. */
class Oldest {
  readonly #most: number
  #kept: Claim[] = []
  /** A claim with a greater fence (a newer claim) is not added. Infinity until the list was shortened for the first time. */
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
