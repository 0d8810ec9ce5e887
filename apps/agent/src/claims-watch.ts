import { type Clock, FaultError, type Gantt, type ResourceName, type ResultOf } from '@gantt/client'
import { findOverLimits, type HeldClaim, heldClaims, hostChanges, type OverLimit, sizesOf } from './claims.ts'
import type { AgentEvent } from './events.ts'
import type { Picture } from './picture.ts'
import type { Offer } from './report.ts'

export interface ClaimsCheck {
  readonly claims: number
  readonly overLimits: readonly OverLimit[]
  /** The revision of the host's claims at the last read; undefined if the service does not know the host. */
  readonly revision: string | undefined
}

/** Checks that all claims on the host fit into the present machine. Throws the errors of its calls. */
export async function checkClaims(
  gantt: Gantt,
  { host, node }: ResourceName,
  picture: Picture,
  offer: Offer,
  signal?: AbortSignal,
): Promise<ClaimsCheck> {
  const claims: HeldClaim[] = []
  let revision: string | undefined
  let after: string | null = null
  do {
    const answer: ResultOf<typeof heldClaims> = await gantt.query(
      heldClaims,
      { name: host, node: node ?? null, after },
      { ...(signal && { signal }) },
    )
    // The first revision is kept, because claims that change while pages are read are in a later event of the stream.
    revision ??= answer.host?.revision
    const page = answer.host?.claims
    claims.push(...(page?.nodes ?? []))
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after !== null)
  return { claims: claims.length, overLimits: findOverLimits(claims, picture, offer), revision }
}

export interface ClaimsWatch {
  /**
   * Called after each reading of the machine. Checks the claims again if the sizes of the machine have changed, or if the last check
   * failed.
   */
  looked(): void
  /** Resolves once the signal has ended the watch; never rejects. */
  readonly ended: Promise<void>
}

export interface ClaimsWatchOptions {
  readonly gantt: Gantt
  readonly name: ResourceName
  readonly offer: Offer
  readonly picture: () => Picture
  readonly notify: (event: AgentEvent) => void
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** The pause in milliseconds before a stream is opened again after a temporary error, such as a key that is being replaced. */
const PAUSE_MS = 10_000

/**
 * Checks the claims whenever the service's stream reports a change of the host, so that no other requests are needed. Any number of changes
 * during a check lead to one more check. Without the READ scope, it reports this and ends. Every other failure is reported once, and the
 * check is retried.
 */
export function watchClaims({ gantt, name, offer, picture, notify, signal, clock }: ClaimsWatchOptions): ClaimsWatch {
  let isChecking = false
  let isOwed = false
  let checked: ClaimsCheck | undefined
  let sizes = ''
  const trouble = { check: '', stream: '' }
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])

  const fail = (at: keyof typeof trouble, error: unknown): void => {
    if (either.aborted) return
    const isFinal = error instanceof FaultError && error.code === 'FORBIDDEN'
    const why = error instanceof Error ? error.message : String(error)
    const text = isFinal ? `${why}. It needs a key with READ` : why
    if (!Object.values(trouble).includes(text)) notify({ event: 'claims.unchecked', text })
    trouble[at] = text
    if (isFinal) over.abort()
  }
  const take = (found: ClaimsCheck): void => {
    const isNews = checked !== undefined && JSON.stringify(checked.overLimits) !== JSON.stringify(found.overLimits)
    if (found.overLimits.length > 0 && (isNews || checked === undefined || trouble.check !== ''))
      notify({ event: 'claims.over_limit', overLimits: found.overLimits })
    if (found.overLimits.length === 0 && (isNews || trouble.check !== '')) notify({ event: 'claims.fit', claims: found.claims })
    trouble.check = ''
    checked = found
  }
  const check = async (): Promise<void> => {
    isOwed = true
    if (isChecking) return
    isChecking = true
    try {
      while (isOwed && !either.aborted) {
        isOwed = false
        const machine = picture()
        take(await checkClaims(gantt, name, machine, offer, either))
        sizes = sizesOf(machine)
      }
    } catch (error) {
      isOwed = true
      fail('check', error)
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
    while (!either.aborted) {
      // The stream begins at the revision of the check, so that no change between the two is missed.
      await check()
      try {
        const from = { signal: either, ...(checked?.revision !== undefined && { after: checked.revision }) }
        for await (const _ of gantt.events.follow(hostChanges, resumption, from)) {
          trouble.stream = ''
          void check()
        }
      } catch (error) {
        fail('stream', error)
      }
      await clock.wait(PAUSE_MS, either).catch(() => undefined)
    }
  }
  return {
    looked: () => {
      if (!either.aborted && !isChecking && (isOwed || sizesOf(picture()) !== sizes)) void check()
    },
    ended: follow(),
  }
}
