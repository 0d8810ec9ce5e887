import type { PluginRef } from '@gantt/scheduler-core'
import type { ReplicaRow, ReplicaRows, ReplicaStore, Sign } from '../../stores/replicas.ts'
import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import { FeatureLevelError } from './feature-level.ts'

/** The interval at which a replica writes its sign of life and reads those of the other replicas. */
const SIGN_EVERY_MS = 2_000
/** A replica whose last sign of life is older than this is not considered living. */
const LIVE_MS = 10_000
/**
 * A replica that was not shut down in an orderly way can continue after a pause of up to this long, and must still be able to read the log
 * then.
 */
const MAY_RETURN_MS = 60_000

/** The replicas of a fleet, by their signs of life in the store. No request or report waits for the registry. */
export interface Registry {
  /** The rows of the last read. */
  readonly last: ReplicaRows
  /** Writes a sign of life, and reads the signs of the other replicas at once. Rejects if the store does not answer. */
  look(): Promise<void>
  /** Throws FeatureLevelError if a replica that is living, or can continue, cannot read changes of this feature level. */
  mayRaise(level: number): Promise<void>
  /** Returns true if every replica supported the feature level at the last check. Does not query the store. */
  isReadByAll(level: number): boolean
  /** Returns true if another replica gave a sign of life in the minute before the last check. Does not query the store. */
  hasOthers(): boolean
  /** Ends the signs of life, and records that this replica was shut down in an orderly way, if the store answers. */
  close(): Promise<void>
}

export interface RegistryOptions {
  readonly store: ReplicaStore
  readonly timers: Timers
  /** Returns the present sign of life of this replica. */
  describe(): Sign
  /** Called after every check. */
  onLook(rows: ReplicaRows): void
  /** Warns operators of errors. */
  warn(message: string): void
}

/**
 * Writes the first sign of life, so that the other replicas know this replica before it follows the log. A timer writes the later signs.
 */
export async function openRegistry({ store, timers, describe, onLook, warn }: RegistryOptions): Promise<Registry> {
  const { id } = describe()
  let last: ReplicaRows = { now: 0, rows: [] }
  let looking: Promise<void> | undefined
  let listing: Promise<ReplicaRows> | undefined
  /** The time of the last sign of life, and whether a failure to write one was logged. */
  let givenAt = timers.now()
  let isWarned = false

  /** Concurrent calls share one read, and continue in the order of their calls. */
  const list = (): Promise<ReplicaRows> => {
    listing ??= store.list().finally(() => {
      listing = undefined
    })
    return listing
  }
  const look = (): Promise<void> => {
    looking ??= (async () => {
      await store.keep(describe())
      last = await store.list()
      onLook(last)
    })().finally(() => {
      looking = undefined
    })
    return looking
  }
  const lookAgain = (): void => {
    // no second check is started while one is running
    if (looking !== undefined) return
    look().then(
      () => {
        givenAt = timers.now()
        isWarned = false
      },
      (error: unknown) => {
        // until LIVE_MS has passed, the other replicas consider this one living, and the next sign of life can succeed
        if (isWarned || timers.now() - givenAt < LIVE_MS) return
        isWarned = true
        warn(
          `replica ${id} could not write a sign of life for ${LIVE_MS / 1_000} s: ${error instanceof Error ? error.message : String(error)}`,
        )
      },
    )
  }
  await store.forget()
  await look()
  const stop = timers.every(SIGN_EVERY_MS, lookAgain)
  return {
    get last() {
      return last
    },
    look,
    async mayRaise(level) {
      const { now, rows } = await list().catch((error: unknown) => {
        const message = `it could not be checked whether every replica reads feature level ${level}; nothing was done`
        throw new UnavailableError('store', `${message}: ${error instanceof Error ? error.message : String(error)}`)
      })
      const older = rows.find((row) => row.featureLevel < level && mayReturn(row, now))
      if (older !== undefined) throw new FeatureLevelError(older.id, older.featureLevel, level)
    },
    isReadByAll: (level) => last.rows.every((row) => row.featureLevel >= level || !mayReturn(row, last.now)),
    hasOthers: () => last.rows.some((row) => row.id !== id && last.now - row.seenAt < MAY_RETURN_MS),
    async close() {
      stop()
      await looking?.catch(() => undefined)
      // if the store is unavailable, the other replicas notice the silence
      await store.stop(id).catch(() => undefined)
    },
  }
}

/**
 * The plug-ins that the replicas other than `own` have loaded, as far as these are living, or can continue. Replicas whose release does not
 * report their plug-ins are left out.
 */
export const pluginsOfOthers = ({ now, rows }: ReplicaRows, own: string): readonly PluginRef[] =>
  rows.flatMap((row) => (row.id !== own && mayReturn(row, now) ? (row.vitals?.plugins ?? []) : []))

/** Returns true if a replica wrote a sign of life recently. */
export const isLiving = ({ stoppedAt, seenAt }: Pick<ReplicaRow, 'stoppedAt' | 'seenAt'>, now: number): boolean =>
  stoppedAt === null && now - seenAt < LIVE_MS

const mayReturn = ({ stoppedAt, seenAt }: ReplicaRow, now: number): boolean => stoppedAt === null && now - seenAt < MAY_RETURN_MS
