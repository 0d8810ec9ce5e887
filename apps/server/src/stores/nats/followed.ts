import { DOUBT_MS } from '../../sync/doubt.ts'
import type { Connection } from '../../sync/nats/connection.ts'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'
import { type Feed, openFeed } from '../../sync/nats/feed.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'

/** A small stream that is held in memory: every message is shown once, in order, from the first on. */
export interface Followed {
  /** Resolves when the message of a sequence was shown. Throws StoreUnavailableError when nothing comes for some time before it. */
  reach(sequence: number): Promise<void>
  /** Resolves when all that the stream held at this call was shown. */
  fresh(): Promise<void>
  close(): void
}

export interface FollowedOptions {
  readonly stream: string
  readonly timers: Timers
  onMessage(message: StoredMessage): void
  /** Another stream took its place, or it went back: what was shown so far is not in it, and all of it is shown. */
  onReplaced(): void
  /** How long it may show less than it did before it is believed, milliseconds. */
  readonly doubtMs?: number
}

const AGAIN_MS = 200
const PATIENCE_MS = 5_000
/** The feed asks for a few hundred at once; a fold takes them as they come. */
const ROOM = 1_024

/** Resolves when all that the stream holds was shown. */
export async function openFollowed(connection: Connection, options: FollowedOptions): Promise<Followed> {
  const { stream, timers, onMessage, onReplaced, doubtMs = DOUBT_MS } = options
  let last = 0
  let lastStamp: string | undefined
  let created: string | undefined
  let shorterSince: number | undefined
  let feed: Feed | undefined
  let isClosed = false
  let stopWaiting = (): void => {}
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }

  const beginAnew = (): void => {
    last = 0
    lastStamp = undefined
    onReplaced()
  }
  /** Throws StoreUnavailableError while the stream shows less than it did: a leader that was just chosen may, for a while. */
  const assertReaches = (lastSequence: number, shown: number): void => {
    if (lastSequence >= shown) {
      shorterSince = undefined
      return
    }
    shorterSince ??= timers.now()
    if (timers.now() - shorterSince < doubtMs)
      throw new StoreUnavailableError(`the stream ${stream} ends at message ${lastSequence}, before ${shown}; it is looked at again`)
    shorterSince = undefined
    beginAnew()
  }
  const followAnew = async (): Promise<number> => {
    // more may come while it is asked
    const shown = last
    const { state, created: now } = await connection.look(stream)
    if (created === undefined || created === now) assertReaches(state.last_seq, shown)
    else beginAnew()
    created = now
    feed?.close()
    feed = await openFeed(connection, {
      // from the last one on: that it is the very same shows that the stream is the one that was followed
      ...{ stream, timers, from: Math.max(1, last), room: () => ROOM },
      onMessage(message) {
        if (message.revision === last && message.stamp !== lastStamp) {
          beginAnew()
          feed?.close()
          return again()
        }
        if (message.revision <= last) return
        last = message.revision
        lastStamp = message.stamp
        onMessage(message)
        wake()
      },
      onBroken: again,
    })
    if (isClosed) feed.close()
    return state.messages === 0 ? last : state.last_seq
  }
  let following: Promise<number> | undefined
  /** Answers the sequence of the last message that is there. */
  const follow = (): Promise<number> => {
    following ??= followAnew().finally(() => {
      following = undefined
    })
    return following
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
      let stop = (): void => {}
      // what comes slowly comes: the way may be slow, and a stream of years long
      const beGivenTime = (): void => {
        const before = last
        stop = timers.after(PATIENCE_MS, () => {
          if (last !== before) return beGivenTime()
          over()
          reject(new StoreUnavailableError(`the stream ${stream} does not bring its message ${sequence}`))
        })
      }
      beGivenTime()
      waiting.add(look)
    })

  await reach(await follow())
  return {
    reach,
    async fresh() {
      const shown = last
      const { state, created: now } = await connection.look(stream)
      if (now !== created || state.last_seq < shown) await follow()
      if (state.messages > 0) await reach(state.last_seq)
    },
    close() {
      isClosed = true
      stopWaiting()
      feed?.close()
    },
  }
}
