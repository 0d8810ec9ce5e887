import { DOUBT_MS } from '../../sync/doubt.ts'
import type { Connection } from '../../sync/nats/connection.ts'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'
import { type Feed, openFeed } from '../../sync/nats/feed.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'

/**
 * Follows a small stream whose content the replica keeps in memory. `onMessage` gets every message once, in order, from the first one on.
 */
export interface Followed {
  /** Resolves when the message with this sequence was received. Throws StoreUnavailableError if no message arrives for TIMEOUT_MS. */
  reach(sequence: number): Promise<void>
  /** Resolves when all messages that were in the stream at this call were received. */
  fresh(): Promise<void>
  close(): void
}

export interface FollowedOptions {
  readonly stream: string
  readonly timers: Timers
  onMessage(message: StoredMessage): void
  /**
   * Called if the stream was replaced by another stream, or lost messages. Messages that were delivered before are then invalid, and all
   * present messages are delivered again.
   */
  onReplaced(): void
  /** If the stream seems to have lost messages, the loss is accepted only after this time, in milliseconds. */
  readonly doubtMs?: number
}

const RETRY_DELAY_MS = 200
const TIMEOUT_MS = 5_000
/** How many messages the feed requests at once. They are processed as they arrive. */
const ROOM = 1_024

/** Resolves when all messages of the stream were received. */
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
  /**
   * Throws StoreUnavailableError while the stream has fewer messages than before, because a newly elected leader may report fewer for a
   * while.
   */
  const assertReaches = (lastSequence: number, shown: number): void => {
    if (lastSequence >= shown) {
      shorterSince = undefined
      return
    }
    shorterSince ??= timers.now()
    if (timers.now() - shorterSince < doubtMs)
      throw new StoreUnavailableError(`the stream ${stream} ends at message ${lastSequence}, before ${shown}; it is read again`)
    shorterSince = undefined
    beginAnew()
  }
  const followAnew = async (): Promise<number> => {
    // further messages may arrive during the request
    const shown = last
    const { state, created: now } = await connection.look(stream)
    if (created === undefined || created === now) assertReaches(state.last_seq, shown)
    else beginAnew()
    created = now
    feed?.close()
    feed = await openFeed(connection, {
      // the first requested message is the last received one; if it is unchanged, the stream is the one that was followed before
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
  /** Returns the sequence of the last message in the stream. */
  const follow = (): Promise<number> => {
    following ??= followAnew().finally(() => {
      following = undefined
    })
    return following
  }
  /** Follows the stream again after a pause, and repeats this until it succeeds. The connection recovers by itself. */
  const again = (): void => {
    if (isClosed) return
    stopWaiting = timers.after(RETRY_DELAY_MS, () => void follow().catch(again))
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
      // the time limit starts again with each message, because the connection may be slow and the stream long
      const giveUpUnlessReading = (): void => {
        const before = last
        stop = timers.after(TIMEOUT_MS, () => {
          if (last !== before) return giveUpUnlessReading()
          over()
          reject(new StoreUnavailableError(`the stream ${stream} does not deliver its message ${sequence}`))
        })
      }
      giveUpUnlessReading()
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
