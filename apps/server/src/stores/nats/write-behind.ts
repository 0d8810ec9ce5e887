import type { RecordRows, RecordTables, StreamPosition } from '../../db/tables/record-tables.ts'
import { asked, type Connection } from '../../sync/nats/connection.ts'
import type { StoredMessage } from '../../sync/nats/entry-message.ts'
import { openFeed } from '../../sync/nats/feed.ts'
import { StoreUnavailableError } from '../../sync/synchronizer.ts'
import type { Timers } from '../../timers.ts'
import type { NatsKeys } from './api-keys.ts'
import { idOf } from './packing.ts'
import { RECORD_FORMAT, type RecordMessage, readRecord } from './records.ts'
import type { StoreStreams } from './streams.ts'

/** Writes records and keys from the streams into the tables. Only one replica does so at a time. */
export interface WriteBehind {
  /** Starts to write records, if there are waiting ones. */
  kick(): void
  /**
   * Resolves with true when the tables have all records that were in the stream at this call. Resolves with false after a timeout, or at
   * once if the database is unavailable.
   */
  caughtUp(timeoutMs: number): Promise<boolean>
  close(): Promise<void>
}

export interface WriteBehindOptions {
  readonly names: StoreStreams
  readonly tables: RecordTables
  readonly keys: Pick<NatsKeys, 'fold' | 'fresh'>
  readonly timers: Timers
  /** Returns true if the database is available. */
  isDatabaseUp(): boolean
  warn(message: string): void
}

/** The interval at which a replica checks whether another replica stopped before that replica wrote its records. */
const SWEEP_MS = 1_000
/** One transaction writes at most this many messages. */
const MESSAGES = 500
const BYTES = 4_194_304
const SILENT_MS = 2_000
/** The pause of a replica after it found another replica writing, in milliseconds. */
const YIELD_MS = 20
/** A stopping replica continues to write its records for this long. */
const CLOSE_MS = 5_000
/** The names under which the database stores the positions in the two streams. */
export const RECORDS = 'records'
export const KEYS = 'keys'

/**
 * The database stores the position in the stream together with the rows, so each message takes effect once. The stream is then trimmed, but
 * the message at the position stays. If this message is missing or has another id, the stream was replaced or lost messages. The whole
 * stream is then written again, and ids prevent duplicates.
 */
export function createWriteBehind(connection: Connection, options: WriteBehindOptions): WriteBehind {
  const { names, tables, keys, timers, isDatabaseUp, warn } = options
  const { stream } = names.records
  let running: Promise<void> | undefined
  let again = false
  let isClosing = false
  let isFailing = false
  let hasWarned = false
  const waiting = new Set<() => void>()

  /** Reads messages from a sequence up to a later sequence, at most as many as one transaction writes. */
  const readFrom = async (from: number, upTo: number): Promise<StoredMessage[]> => {
    const messages: StoredMessage[] = []
    let bytes = 0
    let end = (): void => {}
    let fail = (_error: unknown): void => {}
    const over = new Promise<void>((resolve, reject) => {
      end = resolve
      fail = reject
    })
    const isEnough = (): boolean => (messages.at(-1)?.revision ?? 0) >= upTo || messages.length > MESSAGES || bytes > BYTES
    const feed = await openFeed(connection, {
      ...{ stream, timers, from, room: () => MESSAGES + 1 - messages.length },
      onMessage(message) {
        if (isEnough()) return
        messages.push(message)
        bytes += message.body.length
        if (isEnough()) end()
      },
      onBroken: () => fail(new StoreUnavailableError(`the stream ${stream} is not followed any more`)),
    })
    let heard = 0
    // the timer starts after the feed was opened, because an earlier rejection would be unhandled and end the process
    const stop = timers.every(SILENT_MS, () => {
      // over a slow connection only some of the messages arrive in time; these are written first, and the rest follows
      if (messages.length > 1 || (messages.length > 0 && heard > 0)) end()
      else if (messages.length === 0) fail(new StoreUnavailableError(`the stream ${stream} delivers nothing`))
      heard = messages.length
    })
    await over.finally(() => {
      stop()
      feed.close()
    })
    return messages
  }

  /** Writes the next waiting records. Returns false if there are none. */
  const writeRecords = async (): Promise<boolean> => {
    // the position is read before the stream, because a write of another replica in between would look like a loss
    const position = await tables.position(RECORDS)
    const { state } = await connection.look(stream)
    const { sequence, id } = position
    if (state.last_seq < sequence) return begin(position, NOWHERE)
    if (state.messages === 0 || (state.last_seq === sequence && (id === '' || (await idAt(sequence)) === id))) {
      if (state.first_seq < sequence) await trim(sequence)
      return false
    }
    const read = await readFrom(Math.max(sequence, 1), state.last_seq)
    const [first] = read
    if (first === undefined) return false
    // the message at the position stays after a trim, and shows that the stream is the one that was written
    const isOurs = id === '' || (first.revision === sequence && idOf(first) === id)
    if (!isOurs) return begin(position, first.revision > sequence + 1 ? { sequence: first.revision - 1, id: '' } : NOWHERE)
    const next = read.filter(({ revision }) => revision > sequence)
    const last = next.at(-1)
    if (last === undefined) throw new StoreUnavailableError(`the stream ${stream} delivers nothing after message ${sequence}`)
    if (await tables.write(RECORDS, position, { sequence: last.revision, id: idOf(last) }, rowsOf(next))) await trim(last.revision)
    else await new Promise<void>((resolve) => void timers.after(YIELD_MS, resolve))
    return true
  }
  /** Continues at the position `at`, because the stream does not have the present position. */
  const begin = async (position: StreamPosition, at: StreamPosition): Promise<boolean> => {
    const written = await tables.write(RECORDS, position, at, NOTHING)
    if (written)
      warn(
        at.sequence === 0
          ? `the stream ${stream} does not contain message ${position.sequence}, which the tables have: all its messages are written again, each once`
          : `the stream ${stream} begins after message ${at.sequence}, and this database has the messages up to ${position.sequence}: it lacks the messages in between`,
      )
    return true
  }
  /** Resolves with true if the tables have all messages up to the last one of the stream. */
  const holds = async (lastSequence: number): Promise<boolean> => {
    const { sequence, id } = await tables.position(RECORDS)
    // a position in another stream, or in one that lost messages, is not valid
    return sequence >= lastSequence && (id === '' || (await idAt(sequence)) === id)
  }
  const idAt = async (sequence: number): Promise<string | undefined> => {
    const found = await connection.find(stream, { seq: sequence })
    return found === null ? undefined : idOf({ headers: found.header })
  }
  /** Drops the messages before a sequence. A purge with sequence 1 would drop all messages, and no message precedes the first one. */
  const trim = async (before: number): Promise<void> => {
    if (before > 1) await asked(connection.streams.purge(stream, { seq: before }))
  }

  const rowsOf = (messages: readonly StoredMessage[]): RecordRows => {
    const found = messages.flatMap((message): RecordMessage[] => {
      const record = readRecord(message)
      if (record === undefined) {
        warn(`message ${message.revision} of the stream of records was not published by this service; it is skipped`)
        return []
      }
      if (record.format !== RECORD_FORMAT)
        throw new Error(
          `message ${message.revision} of the stream of records has format ${record.format}, and this release reads format ${RECORD_FORMAT}; a replica of the release that published it has to write it to the tables, so start one if none is running`,
        )
      return [record]
    })
    return {
      decisions: found.flatMap(({ decisions = [] }) => decisions),
      audit: found.flatMap(({ audit = [] }) => audit),
      uses: found.flatMap(({ uses = [] }) => uses),
      keys: [],
    }
  }

  const writeKeys = async (): Promise<void> => {
    await keys.fresh()
    const { fold } = keys
    const position = await tables.position(KEYS)
    if (position.id === fold.head) return
    // a position that is unknown to these edits belongs to another stream, so all keys are written
    const since = fold.sequences.get(position.id) ?? 0
    const changed = fold.list().filter(({ sequence }) => sequence > since)
    await tables.write(KEYS, position, { sequence: fold.sequences.get(fold.head) ?? 0, id: fold.head }, { ...NOTHING, keys: changed })
  }

  const drain = async (): Promise<void> => {
    if (!isDatabaseUp()) return
    await writeKeys()
    while (!isClosing && (await writeRecords())) for (const look of waiting) look()
  }
  const kick = (): void => {
    if (isClosing) return
    if (running !== undefined) {
      again = true
      return
    }
    again = false
    running = drain()
      .then(
        () => {
          isFailing = false
          hasWarned = false
        },
        (error: unknown) => {
          isFailing = true
          // DatabaseWatch already warns that the database is unavailable
          if (hasWarned || !isDatabaseUp()) return
          warn(`records wait for their tables: ${error instanceof Error ? error.message : String(error)}`)
          hasWarned = true
        },
      )
      .finally(() => {
        running = undefined
        for (const look of waiting) look()
        if (again && !isFailing) kick()
      })
  }
  const stop = timers.every(SWEEP_MS, kick)

  const caughtUp = async (timeoutMs: number): Promise<boolean> => {
    const { state } = await connection.look(stream)
    for (const end = timers.now() + timeoutMs; ; ) {
      if (state.messages === 0 || (await holds(state.last_seq))) return true
      if (timers.now() > end || isClosing || !isDatabaseUp()) return false
      kick()
      await new Promise<void>((resolve) => {
        const over = (): void => {
          cancel()
          waiting.delete(over)
          resolve()
        }
        const cancel = timers.after(YIELD_MS * 5, over)
        waiting.add(over)
      })
    }
  }

  return {
    kick,
    caughtUp,
    async close() {
      stop()
      // records that arrive later are written by other replicas, because callers could continue to send records for ever
      await caughtUp(CLOSE_MS).catch(() => false)
      isClosing = true
      await running
      // an edit of keys may have arrived meanwhile; if this write fails, another replica writes it
      if (isDatabaseUp()) await writeKeys().catch(() => undefined)
    },
  }
}

const NOWHERE: StreamPosition = { sequence: 0, id: '' }
const NOTHING: RecordRows = { decisions: [], audit: [], uses: [], keys: [] }
