import type { Timers } from '../../timers.ts'
import { StoreUnavailableError } from '../synchronizer.ts'
import type { Connection } from './connection.ts'
import type { StoredMessage } from './entry-message.ts'
import { openFeed } from './feed.ts'

export interface MessagesOptions {
  readonly stream: string
  /** Absent: all subjects. */
  readonly subject?: string
  /** The sequence of the first message. */
  readonly from: number
  /** How many messages are expected. The reader waits for all of them. */
  readonly count: number
  readonly timers: Timers
}

/** At most this many messages are buffered before they are read. */
const MAX_BUFFERED = 32
/** How long the reader waits for the next message. */
const SILENT_MS = 5_000

/** Messages of a stream in order, buffered ahead of the reader. Throws StoreUnavailableError if no more messages arrive. */
export async function* readMessages(
  connection: Connection,
  { stream, subject, from, count, timers }: MessagesOptions,
): AsyncGenerator<StoredMessage> {
  if (count <= 0) return
  const came: StoredMessage[] = []
  let isBroken = false
  let wake = (): void => {}
  const feed = await openFeed(connection, {
    ...{ stream, from, timers },
    ...(subject === undefined ? {} : { subject }),
    room: () => MAX_BUFFERED - came.length,
    onMessage(message) {
      came.push(message)
      wake()
    },
    onBroken() {
      isBroken = true
      wake()
    },
  })
  try {
    for (let read = 0; read < count; read++) {
      if (came.length === 0 && !isBroken)
        await new Promise<void>((resolve) => {
          const stop = timers.after(SILENT_MS, resolve)
          wake = () => {
            stop()
            resolve()
          }
        })
      const message = came.shift()
      if (message === undefined) throw new StoreUnavailableError(`the stream ${stream} does not deliver message ${read + 1} of ${count}`)
      feed.refill()
      yield message
    }
  } finally {
    feed.close()
  }
}
