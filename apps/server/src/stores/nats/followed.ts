import { asked, type Connection } from '../../sync/nats/connection.ts'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'
import { type Feed, openFeed } from '../../sync/nats/feed.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'

/** A small stream that is held in memory: every message is shown once, in order, from the first on. */
export interface Followed {
  /** Resolves when the message of a sequence was shown. Throws StoreUnavailableError when it does not come in time. */
  reach(sequence: number): Promise<void>
  /** Resolves when all that the stream held at this call was shown. */
  fresh(): Promise<void>
  close(): void
}

export interface FollowedOptions {
  readonly stream: string
  readonly timers: Timers
  onMessage(message: StoredMessage): void
  /** Another stream took its place: what was shown so far is not in it, and all of it is shown. */
  onReplaced(): void
}

const AGAIN_MS = 200
const PATIENCE_MS = 5_000
/** The feed asks for a few hundred at once; a fold takes them as they come. */
const ROOM = 1_024

/** Resolves when all that the stream holds was shown. */
export async function openFollowed(connection: Connection, options: FollowedOptions): Promise<Followed> {
  const { stream, timers, onMessage, onReplaced } = options
  let last = 0
  let created: string | undefined
  let feed: Feed | undefined
  let isClosed = false
  let stopWaiting = (): void => {}
  const waiting = new Set<() => void>()
  const tell = (): void => {
    for (const look of waiting) look()
  }

  const follow = async (): Promise<number> => {
    const { state, created: now } = await asked(connection.streams.info(stream))
    if (created !== undefined && created !== now) {
      last = 0
      onReplaced()
    }
    created = now
    feed?.close()
    feed = await openFeed(connection, {
      ...{ stream, timers, from: last + 1, room: () => ROOM },
      onMessage(message) {
        if (message.revision <= last) return
        last = message.revision
        onMessage(message)
        tell()
      },
      onBroken: again,
    })
    if (isClosed) feed.close()
    return state.messages === 0 ? last : state.last_seq
  }
  /** Until it succeeds: the connection finds its way back by itself. */
  const again = (): void => {
    if (isClosed) return
    stopWaiting = timers.after(AGAIN_MS, () => void follow().catch(again))
  }
  const reach = (sequence: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (last >= sequence) return resolve()
      const over = (): void => {
        stop()
        waiting.delete(look)
      }
      const look = (): void => {
        if (last < sequence) return
        over()
        resolve()
      }
      const stop = timers.after(PATIENCE_MS, () => {
        over()
        reject(new StoreUnavailableError(`the stream ${stream} does not bring its message ${sequence}`))
      })
      waiting.add(look)
    })

  await reach(await follow())
  return {
    reach,
    async fresh() {
      const { state, created: now } = await asked(connection.streams.info(stream))
      if (now !== created) await follow()
      if (state.messages > 0) await reach(state.last_seq)
    },
    close() {
      isClosed = true
      stopWaiting()
      feed?.close()
    },
  }
}
