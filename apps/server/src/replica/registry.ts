import type { ReplicaRow, ReplicaRows, ReplicaStore, Sign } from '../stores/replicas.ts'
import type { Timers } from '../timers.ts'
import { FeatureLevelError } from './feature-level.ts'
import { UnavailableError } from './placement.ts'

/** How often a replica gives a sign, and reads those of the others. */
const SIGN_EVERY_MS = 2_000
/** A replica whose last sign is older is not counted as living. */
const LIVE_MS = 10_000
/** One that did not stop in order may still come back from a pause for this long, and must not find a log that it cannot read. */
const MAY_RETURN_MS = 60_000

/** Which replicas there are, as each says of itself in the store. Nothing on the way of a request or a report waits for it. */
export interface Registry {
  /** As of the last look at the store. */
  readonly last: ReplicaRows
  /** Gives a sign and looks, now. Rejects when the store does not answer. */
  look(): Promise<void>
  /** Throws FeatureLevelError when a replica that lives, or may come back, does not read changes of a level. */
  mayRaise(level: number): Promise<void>
  /** The same as of the last look, without asking the store. */
  isReadByAll(level: number): boolean
  /** Whether another one was there within the last minute, as of the last look. */
  hasOthers(): boolean
  /** Says that this replica ended in order. */
  close(): Promise<void>
}

export interface RegistryOptions {
  readonly store: ReplicaStore
  readonly timers: Timers
  /** What this replica says of itself now. */
  describe(): Sign
  /** Hears of every look. */
  onLook(rows: ReplicaRows): void
  /** Trouble, for operators. */
  warn(message: string): void
}

/** Gives the first sign, so that the others know of this replica before it follows the log, and goes on from a timer. */
export async function openRegistry({ store, timers, describe, onLook, warn }: RegistryOptions): Promise<Registry> {
  const { id } = describe()
  let last: ReplicaRows = { now: 0, rows: [] }
  let looking: Promise<void> | undefined
  let listing: Promise<ReplicaRows> | undefined
  /** When the last sign was given, and whether it was said that none could be since. */
  let givenAt = timers.now()
  let isWarned = false

  /** Calls that ask meanwhile share one look, and go on in the order in which they asked. */
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
    // one that takes long is waited for
    if (looking !== undefined) return
    look().then(
      () => {
        givenAt = timers.now()
        isWarned = false
      },
      (error: unknown) => {
        // before that the others count it as living, and the next sign may be given
        if (isWarned || timers.now() - givenAt < LIVE_MS) return
        isWarned = true
        warn(`replica ${id} could give no sign for ${LIVE_MS / 1_000} s: ${error instanceof Error ? error.message : String(error)}`)
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
        const message = `it cannot be looked up whether every replica reads feature level ${level}; nothing was done`
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
      // when the store is away, the others see the silence
      await store.stop(id).catch(() => undefined)
    },
  }
}

/** Whether a replica gave a sign lately. */
export const isLiving = ({ stoppedAt, seenAt }: Pick<ReplicaRow, 'stoppedAt' | 'seenAt'>, now: number): boolean =>
  stoppedAt === null && now - seenAt < LIVE_MS

const mayReturn = ({ stoppedAt, seenAt }: ReplicaRow, now: number): boolean => stoppedAt === null && now - seenAt < MAY_RETURN_MS
