import { FaultError, type Gantt, type ResourceName, type ResultOf } from '@gantt/client'
import { findOverLimits, type HeldClaim, heldClaims, hostChanges, type OverLimit } from './claims.ts'
import type { AgentEvent } from './events.ts'
import type { Picture } from './picture.ts'
import type { Offer } from './report.ts'

export interface ClaimsCheck {
  readonly claims: number
  readonly overLimits: readonly OverLimit[]
}

/** Looks once at all claims on the host, with the machine as it is. Throws what calls throw. */
export async function checkClaims(
  gantt: Gantt,
  { host, node }: ResourceName,
  picture: Picture,
  offer: Offer,
  signal?: AbortSignal,
): Promise<ClaimsCheck> {
  const claims: HeldClaim[] = []
  let after: string | null = null
  do {
    const answer: ResultOf<typeof heldClaims> = await gantt.query(
      heldClaims,
      { name: host, node: node ?? null, after },
      { ...(signal && { signal }) },
    )
    const page = answer.host?.claims
    claims.push(...(page?.nodes ?? []))
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after !== null)
  return { claims: claims.length, overLimits: findOverLimits(claims, picture, offer) }
}

export interface ClaimsWatch {
  /** The machine changed: look again. */
  touch(): void
  /** Until the signal ends it; never rejects. */
  readonly ended: Promise<void>
}

export interface ClaimsWatchOptions {
  readonly gantt: Gantt
  readonly name: ResourceName
  readonly offer: Offer
  readonly picture: () => Picture
  readonly tell: (event: AgentEvent) => void
  readonly signal: AbortSignal
}

/**
 * Checks the claims whenever the service says that something about the host changed, by its stream, so that nothing is asked while nothing
 * happens. What changes during a check leads to one more check, however much it was. Without the right to read, it says so and ends.
 */
export function watchClaims({ gantt, name, offer, picture, tell, signal }: ClaimsWatchOptions): ClaimsWatch {
  let isChecking = false
  let isDirty = false
  let last = ''
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])

  const fail = (error: unknown): void => {
    if (either.aborted) return
    const isFinal = error instanceof FaultError
    tell({ event: 'claims.unchecked', text: isFinal ? `${error.message}. It needs a key with READ` : String(error) })
    if (isFinal) over.abort()
  }
  const check = async (): Promise<void> => {
    isDirty = true
    if (isChecking) return
    isChecking = true
    try {
      while (isDirty && !either.aborted) {
        isDirty = false
        const { claims, overLimits } = await checkClaims(gantt, name, picture(), offer, either)
        const found = JSON.stringify(overLimits)
        if (found === last) continue
        if (overLimits.length > 0) tell({ event: 'claims.over_limit', overLimits })
        else if (last !== '') tell({ event: 'claims.fit', claims })
        last = found
      }
    } catch (error) {
      fail(error)
    } finally {
      isChecking = false
    }
  }
  const follow = async (): Promise<void> => {
    const filter = { name: { eq: name.host } }
    const resumption = {
      variables: (after: string | undefined) => ({ filter, after: after ?? null }),
      resumeAfter: ({ hostChanged: { revision } }: ResultOf<typeof hostChanges>) => revision,
    }
    try {
      // what happened while there was no stream is told when it is open again
      for await (const _ of gantt.events.follow(hostChanges, resumption, { signal: either })) void check()
    } catch (error) {
      fail(error)
    }
  }
  void check()
  return { touch: () => void (either.aborted || check()), ended: follow() }
}
