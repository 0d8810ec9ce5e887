import type { Rollout } from '@gantt/scheduler-core'
import type { KeptDisagreement, RolloutCounts, RolloutMinute, RolloutStore } from '../db/rollouts.ts'
import type { Timers } from '../timers.ts'

/** A rollout by the name of its tables: a step of it begins another one. */
export const rolloutId = (profile: string, { number, mode, since }: Pick<Rollout, 'number' | 'mode' | 'since'>): string =>
  `${profile}@${number} ${mode} ${since}`

/** What became of a decision that the other version was to make again. */
export interface Finding {
  readonly rollout: string
  /** Store time of the decision, milliseconds since 1970. */
  readonly at: number
  readonly end: keyof RolloutCounts
  /** Asks the fleet; it is not read where there is no room for it. Where it throws, nothing is counted. */
  disagreement?(): Omit<KeptDisagreement, 'rollout' | 'at'>
}

/** Gathers what a shadow finds, and keeps it every few seconds: nobody waits for it. */
export interface RolloutFindings {
  add(finding: Finding): void
  /** Keeps what waits; what cannot be kept waits on, and operators are told. */
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
/** Steps and disagreements are kept so long. */
export const ROLLOUT_KEPT_MS = 31 * 24 * 60 * MINUTE_MS
const FLUSH_MS = 5_000
/** Disagreements of one minute that are kept: the first. To rank their hosts takes time. */
const TOLD_A_MINUTE = 50
/** A minute may still be counted in for so long: what comes later counts in the first that is open. */
const OPEN_MS = 10 * MINUTE_MS
/** Disagreements that wait for a database that is away: the newest. */
const MOST_DISAGREEMENTS = 500
/** Minutes that wait for a database that is away: half a day of one rollout. The oldest are lost first. */
const MOST_WAITING = 720
const FORGET_EVERY_MS = 3_600_000

interface Minute {
  readonly rollout: string
  readonly at: number
  readonly counts: Record<keyof RolloutCounts, number>
  told: number
  /** What is not kept yet. */
  isNew: boolean
}

export function createRolloutFindings({ store, replica, timers, warn }: RolloutFindingsOptions): RolloutFindings {
  /** In the order of their first findings. */
  const minutes = new Map<string, Minute>()
  let disagreements: KeptDisagreement[] = []
  /** By rollout, the first minute that is open. */
  const opened = new Map<string, number>()
  let writing: Promise<void> | undefined
  let isTold = false
  let newest = 0
  let forgotten = Number.NEGATIVE_INFINITY

  const minuteOf = (rollout: string, time: number): Minute => {
    const at = Math.max(Math.floor(time / MINUTE_MS) * MINUTE_MS, opened.get(rollout) ?? 0)
    const key = `${rollout} ${at}`
    const known = minutes.get(key)
    if (known !== undefined) return known
    const counts = { agreed: 0, elsewhere: 0, newFailures: 0, newPlacements: 0, skipped: 0, notSolved: 0 }
    const made: Minute = { rollout, at, counts, told: 0, isNew: true }
    minutes.set(key, made)
    return made
  }
  /** What is kept and long over is let go of; what could not be kept for too long is, too. */
  const letGo = (): void => {
    let tooMany = minutes.size - MOST_WAITING
    for (const [key, { rollout, at, isNew }] of minutes) {
      const isLost = tooMany-- > 0
      if (!isLost && (isNew || at > newest - OPEN_MS)) continue
      minutes.delete(key)
      opened.set(rollout, Math.max(opened.get(rollout) ?? 0, at + MINUTE_MS))
    }
    // of a rollout of which nothing came for so long, nothing late comes
    for (const [rollout, at] of opened) if (at < newest - ROLLOUT_KEPT_MS) opened.delete(rollout)
  }
  const write = async (): Promise<void> => {
    const written = [...minutes.values()].filter(({ isNew }) => isNew)
    const told = disagreements
    disagreements = []
    for (const minute of written) minute.isNew = false
    try {
      await store.keep(
        written.map(({ rollout, at, counts }): RolloutMinute => ({ rollout, at, replica, ...counts })),
        told,
      )
      if (newest - forgotten >= FORGET_EVERY_MS) {
        await store.forget(newest - ROLLOUT_KEPT_MS)
        forgotten = newest
      }
      isTold = false
    } catch (error) {
      // whole numbers: what was kept all the same is kept again, not twice
      for (const minute of written) minute.isNew = true
      disagreements = [...told, ...disagreements].slice(-MOST_DISAGREEMENTS)
      throw error
    } finally {
      letGo()
    }
  }
  const flush = async (): Promise<void> => {
    while (writing !== undefined) await writing
    if (disagreements.length === 0 && ![...minutes.values()].some(({ isNew }) => isNew)) return
    writing = write()
      .catch((error: unknown) => {
        if (!isTold) warn(`what the shadow of a rollout found waits: ${error instanceof Error ? error.message : String(error)}`)
        isTold = true
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
      if (disagreement !== undefined && minute.told < TOLD_A_MINUTE) {
        disagreements.push({ rollout, at: Math.floor(at), ...disagreement() })
        minute.told++
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
