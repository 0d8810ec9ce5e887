import type { Injected } from './faults/faults.ts'

/** For a fault: the longest period in which no replica answered a write, and a read, during the fault or shortly after. */
export interface Unavailability {
  readonly fault: string
  readonly writesMs: number
  readonly readsMs: number
}

/** A period without answers is attributed to a fault until this many milliseconds after the fault was undone. */
const AFTER_OUTAGE_MS = 1_000

interface Gap {
  readonly from: number
  readonly to: number
}

/**
 * The times of the answers to all reads or to all writes (`at`), and the end of the last of these calls, even if it was not answered
 * (`endedAt`). In milliseconds since the start of the run.
 */
export interface Answered {
  readonly at: readonly number[]
  readonly endedAt: number
}

/** The longest period in milliseconds between two answers, before the first answer, or after the last one while calls continued. */
export const longestGap = (answered: Answered): number => longest(gapsOf(answered))

/** The longest period without an answer for each fault, the longest first. If faults overlap, the period is attributed to each of them. */
export function unavailabilityOf(
  answered: { readonly writes: Answered; readonly reads: Answered },
  injected: readonly Injected[],
): readonly Unavailability[] {
  const [writes, reads] = [gapsOf(answered.writes), gapsOf(answered.reads)]
  return [...new Set(injected.map(({ fault }) => fault))]
    .map((fault) => {
      const times = injected.filter((each) => each.fault === fault)
      const met = (gaps: readonly Gap[]): Gap[] =>
        gaps.filter(({ from, to }) => times.some(({ at, until }) => from < until + AFTER_OUTAGE_MS && to > at))
      return { fault, writesMs: longest(met(writes)), readsMs: longest(met(reads)) }
    })
    .sort((a, b) => b.writesMs - a.writesMs || b.readsMs - a.readsMs)
}

function gapsOf({ at, endedAt }: Answered): Gap[] {
  const times = [0, ...at, endedAt].sort((a, b) => a - b)
  return times.slice(1).map((to, i) => ({ from: times[i] as number, to }))
}

const longest = (gaps: readonly Gap[]): number => Math.round(gaps.reduce((most, { from, to }) => Math.max(most, to - from), 0))
