import type { Checks } from '../checks.ts'
import { BLOCK_LENGTH } from './draw-call.ts'
import { type Call, type Kind, kinds } from './draw-document.ts'
import type { End } from './send.ts'

/** Of each of these kinds, at least one call must be accepted: its answer must not be a refusal. */
const MUST_BE_ACCEPTED: ReadonlySet<Kind> = new Set(['report', 'Nova report', 'Nova request', 'subscription'])
/** In a run with at least this many calls, some calls of every kind must be answered. */
const ENOUGH = 10 * BLOCK_LENGTH

interface Count {
  /** The sum of the durations of the calls, milliseconds. Calls that only read run concurrently. */
  ms: number
  drawn: number
  answered: number
  accepted: number
}

/** Counts the calls of a run by kind. */
export interface KindTally {
  add(call: Call, end: End, ms: number): void
  /** One line for each kind. */
  lines(): readonly string[]
  /**
   * Fails for each kind of which no call was answered, and for each kind in `MUST_BE_ACCEPTED` of which no call was accepted. Short runs,
   * such as a run that repeats one failed call, are not checked.
   */
  check(checks: Checks, calls: number): void
}

export function createKindTally(): KindTally {
  const counts = new Map<Kind, Count>(kinds.map((kind) => [kind, { ms: 0, drawn: 0, answered: 0, accepted: 0 }]))
  const lineOf = ([kind, { ms, drawn, answered, accepted }]: readonly [Kind, Count]): string =>
    `${kind}: ${drawn} drawn, ${answered} answered, ${accepted} of these not refused, ${(ms / 1_000).toFixed(1)} s`
  return {
    add({ kind }, { type, isAccepted }, ms) {
      const count = counts.get(kind)
      if (count === undefined) return
      count.drawn++
      count.ms += ms
      if (type === 'answered') count.answered++
      if (isAccepted) count.accepted++
    },
    lines: () => [...counts].map(lineOf),
    check(checks, calls) {
      if (calls < ENOUGH) return
      for (const entry of counts) {
        const [kind, { answered, accepted }] = entry
        const isThrough = (MUST_BE_ACCEPTED.has(kind) ? accepted : answered) > 0
        checks.check('calls of every kind get through', isThrough, () => lineOf(entry))
      }
    },
  }
}
