import type { ReplicaRows } from '../../stores/replicas.ts'

/** The length of a step in milliseconds. The steps that are stored cover ten minutes. */
const STEP_MS = 10_000
const STEPS = 60

/** The lag of replicas behind the log, from their signs of life. A fixed count of steps is stored for each replica. */
export interface LagHistory {
  /** Records the signs of life of one check. */
  take(rows: ReplicaRows): void
  /** The longest lag in each step in milliseconds, oldest first, up to the last check; null for a step without a sign of life. */
  of(id: string): readonly (number | null)[]
}

export function createLagHistory(): LagHistory {
  const known = new Map<string, Map<number, number>>()
  let last = 0
  const isKept = (step: number): boolean => step > last - STEPS && step <= last
  return {
    take({ now, rows }) {
      last = stepOf(now)
      for (const { id, seenAt, lagMs } of rows) {
        const step = stepOf(seenAt)
        const lags = known.get(id) ?? new Map<number, number>()
        if (isKept(step)) known.set(id, lags.set(step, Math.max(lags.get(step) ?? 0, lagMs)))
      }
      for (const [id, lags] of known) {
        for (const step of lags.keys()) if (!isKept(step)) lags.delete(step)
        if (lags.size === 0) known.delete(id)
      }
    },
    of(id) {
      const lags = known.get(id)
      return Array.from({ length: STEPS }, (_, i) => lags?.get(last - STEPS + 1 + i) ?? null)
    },
  }
}

const stepOf = (ms: number): number => Math.floor(ms / STEP_MS)
