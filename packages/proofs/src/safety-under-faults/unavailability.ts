import type { Injected } from './faults/faults.ts'

/** The longest periods in which no replica answered a write or a read, during a fault or shortly after. */
export interface Unavailability {
  readonly fault: string
  readonly writesMs: number
  readonly readsMs: number
}

/** The effects of a fault are counted until this time in milliseconds after it was undone. */
const SHORTLY_MS = 1_000

interface Gap {
  readonly from: number
  readonly to: number
}

/**
 * The times of the answers to calls of one kind, and the end of the last call, whether it was answered or not. All are in milliseconds
 * since the start of the run.
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
        gaps.filter(({ from, to }) => times.some(({ at, until }) => from < until + SHORTLY_MS && to > at))
      return { fault, writesMs: longest(met(writes)), readsMs: longest(met(reads)) }
    })
    .sort((a, b) => b.writesMs - a.writesMs || b.readsMs - a.readsMs)
}

function gapsOf({ at, endedAt }: Answered): Gap[] {
  const times = [0, ...at, endedAt].sort((a, b) => a - b)
  return times.slice(1).map((to, i) => ({ from: times[i] as number, to }))
}

const longest = (gaps: readonly Gap[]): number => Math.round(gaps.reduce((most, { from, to }) => Math.max(most, to - from), 0))
