import type { Rollout } from '@gantt/scheduler-core'
import type { KeptDisagreement, RolloutCounts, RolloutMinute, RolloutStore } from '../../db/tables/rollouts.ts'
import type { Timers } from '../../timers.ts'

/** The id of a rollout in its tables. Each step of a rollout has a new id. */
export const rolloutId = (profile: string, { number, mode, since }: Pick<Rollout, 'number' | 'mode' | 'since'>): string =>
  `${profile}@${number} ${mode} ${since}`

/** The result of comparing a decision with the result of the other version. */
export interface Finding {
  readonly rollout: string
  /** The time of the decision by the store's clock, in milliseconds since 1970. */
  readonly at: number
  readonly end: keyof RolloutCounts
  /** Computes the disagreement from the fleet. It is called only if the result will be stored. If it throws, nothing is counted. */
  disagreement?(): Omit<KeptDisagreement, 'rollout' | 'at'>
}

/** Collects the findings of a shadow, and stores them every few seconds. No call waits until they are stored. */
export interface RolloutFindings {
  add(finding: Finding): void
  /** Stores the waiting findings. If that fails, they continue to wait and operators are warned. */
  flush(): Promise<void>
  close(): Promise<void>
}

export interface RolloutFindingsOptions {
  readonly store: Pick<RolloutStore, 'keep' | 'forget'>
  /** The replica's name. */
  readonly replica: string
  readonly timers: Timers
  warn(message: string): void
}

export const MINUTE_MS = 60_000
/** How long steps and disagreements are stored. */
export const ROLLOUT_KEPT_MS = 31 * 24 * 60 * MINUTE_MS
const FLUSH_MS = 5_000
/**
 * The first disagreements of a minute are stored, at most this many. The others are only counted, because ranking their hosts takes time.
 */
const REPORTED_PER_MINUTE = 50
/**
 * The counts of a minute can be changed for this long. A comparison that arrives later is counted in the first minute that can still be
 * changed.
 */
const OPEN_MS = 10 * MINUTE_MS
/** At most this many disagreements wait for the database. The oldest are dropped first. */
const MAX_DISAGREEMENTS = 500
/** The counts of at most this many minutes wait for the database: half a day of one rollout. The oldest are dropped first. */
const MAX_MINUTES = 720
const FORGET_EVERY_MS = 3_600_000

interface Minute {
  readonly rollout: string
  readonly at: number
  readonly counts: Record<keyof RolloutCounts, number>
  reported: number
  /** True if the minute has findings that are not stored yet. */
  isNew: boolean
}

export function createRolloutFindings({ store, replica, timers, warn }: RolloutFindingsOptions): RolloutFindings {
  /** The minutes in the order of their first findings. */
  const minutes = new Map<string, Minute>()
  let disagreements: KeptDisagreement[] = []
  /** For each rollout, the first minute whose counts can still be changed. */
  const opened = new Map<string, number>()
  let writing: Promise<void> | undefined
  let isWarned = false
  let newest = 0
  let forgotten = Number.NEGATIVE_INFINITY

  const minuteOf = (rollout: string, time: number): Minute => {
    const at = Math.max(Math.floor(time / MINUTE_MS) * MINUTE_MS, opened.get(rollout) ?? 0)
    const key = `${rollout} ${at}`
    const known = minutes.get(key)
    if (known !== undefined) return known
    const counts = { agreed: 0, elsewhere: 0, newFailures: 0, newPlacements: 0, skipped: 0, notSolved: 0 }
    const made: Minute = { rollout, at, counts, reported: 0, isNew: true }
    minutes.set(key, made)
    return made
  }
  /** Drops minutes that are stored and no longer open, and the oldest minutes if too many wait. */
  const dropOld = (): void => {
    let tooMany = minutes.size - MAX_MINUTES
    for (const [key, { rollout, at, isNew }] of minutes) {
      const isLost = tooMany-- > 0
      if (!isLost && (isNew || at > newest - OPEN_MS)) continue
      minutes.delete(key)
      opened.set(rollout, Math.max(opened.get(rollout) ?? 0, at + MINUTE_MS))
    }
    // after this long without findings, no late findings of a rollout are expected
    for (const [rollout, at] of opened) if (at < newest - ROLLOUT_KEPT_MS) opened.delete(rollout)
  }
  const write = async (): Promise<void> => {
    const written = [...minutes.values()].filter(({ isNew }) => isNew)
    const kept = disagreements
    disagreements = []
    for (const minute of written) minute.isNew = false
    try {
      await store.keep(
        written.map(({ rollout, at, counts }): RolloutMinute => ({ rollout, at, replica, ...counts })),
        kept,
      )
      if (newest - forgotten >= FORGET_EVERY_MS) {
        await store.forget(newest - ROLLOUT_KEPT_MS)
        forgotten = newest
      }
      isWarned = false
    } catch (error) {
      // the totals are stored again later; they replace the stored totals, so nothing is counted twice
      for (const minute of written) minute.isNew = true
      disagreements = [...kept, ...disagreements].slice(-MAX_DISAGREEMENTS)
      throw error
    } finally {
      dropOld()
    }
  }
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
    if (disagreements.length === 0 && ![...minutes.values()].some(({ isNew }) => isNew)) return
    writing = write()
      .catch((error: unknown) => {
        if (!isWarned)
          warn(
            `results of the shadow of a rollout are not stored yet, and storing them is tried again: ${error instanceof Error ? error.message : String(error)}`,
          )
        isWarned = true
      })
      .finally(() => {
        writing = undefined
      })
    await writing
  }
  const stop = timers.every(FLUSH_MS, () => void flush())

  return {
    add({ rollout, at, end, disagreement }) {
      const minute = minuteOf(rollout, at)
      if (disagreement !== undefined && minute.reported < REPORTED_PER_MINUTE) {
        disagreements.push({ rollout, at: Math.floor(at), ...disagreement() })
        minute.reported++
      }
      minute.counts[end]++
      minute.isNew = true
      newest = Math.max(newest, at)
    },
    flush,
    async close() {
      stop()
      await flush()
    },
  }
}
