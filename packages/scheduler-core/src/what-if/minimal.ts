import type { Steps } from '../fleet/steps.ts'
import type { ProposedChange } from './remedies/remedy.ts'
import { type Candidate, effortOf, type Kept, type SearchOptions } from './shared-room.ts'
import { applyTo, type createFleets, tryOn } from './trial.ts'

/** Of so many claims it is tried whether each has to end; of more it is reckoned. */
const MOST_TRIED = 16

/** Decides with other changes than those of a candidate. */
export interface MinimalOptions extends SearchOptions {
  readonly fleets: ReturnType<typeof createFleets>
  /** Instances that found a host without any change. */
  readonly failed: number
}

/**
 * The same without each change, and each claim to be waited for, without which the request is placed all the same: of what is left every part is
 * needed. Undefined where that was not found out, for want of runs or time.
 */
export function* minimal(
  options: MinimalOptions,
  kept: Kept,
  mostRuns: number,
): Steps<{ readonly kept: Kept | undefined; readonly runs: number }> {
  let best = kept
  let runs = 0
  for (let left = smallerThan(best.candidate); ; ) {
    const [fewer] = left.splice(0, 1)
    if (fewer === undefined) return { kept: best, runs }
    if (runs >= mostRuns || options.isOver()) return { kept: undefined, runs }
    yield
    runs++
    const found = yield* tryWith(options, best.candidate, fewer)
    if (found === undefined) continue
    best = found
    left = smallerThan(found.candidate)
  }
}

/** Each way to leave one part out: first whole changes, then claims, those that end last first. */
function smallerThan({ changes }: Candidate): (readonly ProposedChange[])[] {
  const without = (change: ProposedChange) => changes.filter((one) => one !== change)
  return [
    ...(changes.length > 1 ? changes.map(without) : []),
    ...changes.flatMap((change) => {
      const { waits } = change
      if (waits === undefined || waits.claims.length === 1 || waits.claims.length > MOST_TRIED) return []
      return waits.claims.toReversed().map((claim) => [waits.for(waits.claims.filter((one) => one !== claim)), ...without(change)])
    }),
  ]
}

function* tryWith(
  { fleets, request, profile, seed, minHosts, failed }: MinimalOptions,
  { host, refined }: Candidate,
  changes: readonly ProposedChange[],
): Steps<Kept | undefined> {
  const applied = applyTo(request, profile, changes)
  const own = yield* fleets.with(applied.edits)
  if (own === undefined) return undefined
  const trial = yield* tryOn(own, seed, applied, host, failed)
  if (!trial.placed || trial.unlocks < minHosts) return undefined
  return { candidate: { changes, host, refined, effort: effortOf(changes) }, trial, applied }
}

/** Whether these changes ask for all that the others do, or for more of it: then the others alone will do. */
export const containsAll = (changes: readonly ProposedChange[], others: readonly ProposedChange[]): boolean =>
  others.every((other) => changes.some((change) => containsOne(change, other)))

function containsOne(change: ProposedChange, other: ProposedChange): boolean {
  if (change.kind !== other.kind || change.subject !== other.subject) return false
  if (change.lowered !== undefined && other.lowered !== undefined) return change.lowered.to <= other.lowered.to
  if (change.waits !== undefined && other.waits !== undefined) {
    const claims = new Set(change.waits.claims)
    return other.waits.claims.every((claim) => claims.has(claim))
  }
  return change.to === other.to
}
