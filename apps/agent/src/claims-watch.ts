import { type Clock, FaultError, type Gantt, type ResourceName, type ResultOf } from '@gantt/client'
import { findOverLimits, type HeldClaim, heldClaims, hostChanges, type OverLimit, sizesOf } from './claims.ts'
import type { AgentEvent } from './events.ts'
import type { Picture } from './picture.ts'
import type { Offer } from './report.ts'

export interface ClaimsCheck {
  readonly claims: number
  readonly overLimits: readonly OverLimit[]
  /** The revision at which the claims of the host were read. Undefined if the service does not know the host. */
  readonly revision: string | undefined
}

/** Reads all claims on the host, and checks that they fit on the present machine. Throws an error if a call to the service fails. */
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
    // The revision of the first page is returned. Changes while the following pages are read have later revisions, so the stream delivers
    // them.
    revision ??= answer.host?.revision
    const page = answer.host?.claims
    claims.push(...(page?.nodes ?? []))
    after = page?.pageInfo.hasNextPage ? page.pageInfo.endCursor : null
  } while (after !== null)
  return { claims: claims.length, overLimits: findOverLimits(claims, picture, offer), revision }
}

export interface ClaimsWatch {
  /**
   * Must be called after each reading of the machine. Checks the claims again if the amounts of the machine's resources have changed, or if
   * the last check failed.
   */
  machineRead(): void
  /** Resolves after the signal has ended the watch. Never rejects. */
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

/**
 * The pause in milliseconds before a stream is reopened after an error that is possibly temporary, such as a key that is being replaced.
 */
const PAUSE_MS = 10_000

/**
 * Checks the claims each time the service's event stream delivers a change of the host. If several changes arrive during a check, only one
 * more check follows. If the key lacks the READ scope, the watch reports this and ends. All other failures are reported once, and the check
 * is retried.
 */
export function watchClaims({ gantt, name, offer, picture, notify, signal, clock }: ClaimsWatchOptions): ClaimsWatch {
  let isChecking = false
  let isOwed = false
  let checked: ClaimsCheck | undefined
  let sizes = ''
  const lastErrors = { check: '', stream: '' }
  const over = new AbortController()
  const either = AbortSignal.any([signal, over.signal])

  const fail = (at: keyof typeof lastErrors, error: unknown): void => {
    if (either.aborted) return
    const isFinal = error instanceof FaultError && error.code === 'FORBIDDEN'
    const why = error instanceof Error ? error.message : String(error)
    const text = isFinal ? `${why}. To check claims, the agent needs a key with the scope READ` : why
    if (!Object.values(lastErrors).includes(text)) notify({ event: 'claims.unchecked', text })
    lastErrors[at] = text
    if (isFinal) over.abort()
  }
  const take = (found: ClaimsCheck): void => {
    const isChanged = checked !== undefined && JSON.stringify(checked.overLimits) !== JSON.stringify(found.overLimits)
    if (found.overLimits.length > 0 && (isChanged || checked === undefined || lastErrors.check !== ''))
      notify({ event: 'claims.over_limit', overLimits: found.overLimits })
    if (found.overLimits.length === 0 && (isChanged || lastErrors.check !== '')) notify({ event: 'claims.fit', claims: found.claims })
    lastErrors.check = ''
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
      // The stream begins after the revision of the check. Therefore, no change is missed.
      await check()
      try {
        const from = { signal: either, ...(checked?.revision !== undefined && { after: checked.revision }) }
        for await (const _ of gantt.events.follow(hostChanges, resumption, from)) {
          lastErrors.stream = ''
          void check()
        }
      } catch (error) {
        fail('stream', error)
      }
      await clock.wait(PAUSE_MS, either).catch(() => undefined)
    }
  }
  return {
    machineRead: () => {
      if (!either.aborted && !isChecking && (isOwed || sizesOf(picture()) !== sizes)) void check()
    },
    ended: follow(),
  }
}
