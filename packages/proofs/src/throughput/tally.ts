import { type CallKind, callKinds, type Read } from './calls.ts'

/** The figures of one kind of call. Durations are in milliseconds. */
export interface KindFigures {
  readonly calls: number
  readonly perSecond: number
  /** Requests for which there was no valid host. */
  readonly refused: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

/** Collects the answers to calls. The figures are those of calls that begin and end while it measures. */
export interface Tally {
  start(): void
  /** Ends the measurement, and returns how long it lasted in seconds. */
  stop(): number
  add(kind: CallKind, beganAt: number, read: Read): void
  /** The figures of the kinds that were called. */
  figures(): Readonly<Partial<Record<CallKind, KindFigures>>>
  /** How many calls ended while it measured, including those that began before. Their processor time is about what was measured. */
  readonly ended: number
  /** How many counted calls claimed resources. */
  readonly placements: number
  /** How many calls failed, including those that are not counted, and what the first of them said. */
  readonly failures: { readonly count: number; readonly first: string | undefined }
}

export function createTally(now: () => number = () => performance.now()): Tally {
  const durations = new Map<CallKind, number[]>(callKinds.map((kind) => [kind, []]))
  const refused = new Map<CallKind, number>()
  let [from, to] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  let placements = 0
  let ended = 0
  let failed = 0
  let first: string | undefined
  return {
    start() {
      from = now()
    },
    stop() {
      to = now()
      return (to - from) / 1_000
    },
    add(kind, beganAt, read) {
      if (read.failure !== undefined) {
        failed++
        first ??= `${kind}: ${read.failure}`
        return
      }
      const endedAt = now()
      if (endedAt >= from && endedAt <= to) ended++
      if (beganAt < from || endedAt > to) return
      durations.get(kind)?.push(endedAt - beganAt)
      if (read.type === 'NoValidHost') refused.set(kind, (refused.get(kind) ?? 0) + 1)
      if (read.claim !== undefined) placements++
    },
    figures() {
      const seconds = (Math.min(to, now()) - from) / 1_000
      return Object.fromEntries(
        [...durations]
          .filter(([, all]) => all.length > 0)
          .map(([kind, all]): [CallKind, KindFigures] => {
            const sorted = Float64Array.from(all).sort()
            const quantile = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] as number
            const calls = sorted.length
            const [p50Ms, p99Ms, p999Ms] = [quantile(0.5), quantile(0.99), quantile(0.999)]
            return [kind, { calls, perSecond: calls / seconds, refused: refused.get(kind) ?? 0, p50Ms, p99Ms, p999Ms }]
          }),
      )
    },
    get ended() {
      return ended
    },
    get placements() {
      return placements
    },
    get failures() {
      return { count: failed, first }
    },
  }
}
