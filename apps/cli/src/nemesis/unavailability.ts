import type { Injected } from './faults.ts'

/** The worst that came with a fault: how long no replica answered a write, or a read, while it lasted or shortly after. */
export interface Unavailability {
  readonly fault: string
  readonly writesMs: number
  readonly readsMs: number
}

/** A fault is felt for a while after it was undone. */
const SHORTLY_MS = 1_000

interface Gap {
  readonly from: number
  readonly to: number
}

/** The longest time between two answers, or before the first; milliseconds. */
export const longestGap = (answeredAt: readonly number[]): number => longest(gapsOf(answeredAt))

/** Of each fault the longest times without an answer that met it. Of faults that overlap each is charged with all of it. The worst first. */
export function unavailabilityOf(
  answeredAt: { readonly writes: readonly number[]; readonly reads: readonly number[] },
  injected: readonly Injected[],
): readonly Unavailability[] {
  const [writes, reads] = [gapsOf(answeredAt.writes), gapsOf(answeredAt.reads)]
  return [...new Set(injected.map(({ fault }) => fault))]
    .map((fault) => {
      const times = injected.filter((each) => each.fault === fault)
      const met = (gaps: readonly Gap[]): Gap[] =>
        gaps.filter(({ from, to }) => times.some(({ at, until }) => from < until + SHORTLY_MS && to > at))
      return { fault, writesMs: longest(met(writes)), readsMs: longest(met(reads)) }
    })
    .sort((a, b) => b.writesMs - a.writesMs || b.readsMs - a.readsMs)
}

function gapsOf(answeredAt: readonly number[]): Gap[] {
  const times = [0, ...[...answeredAt].sort((a, b) => a - b)]
  return times.slice(1).map((to, i) => ({ from: times[i] as number, to }))
}

const longest = (gaps: readonly Gap[]): number => Math.round(gaps.reduce((most, { from, to }) => Math.max(most, to - from), 0))
