import { type Entry, type LogEntry, ORIGIN, type Place } from '@gantt/scheduler-core'
import type { StreamInfo } from '@nats-io/jetstream'
import type { Timers } from '../../timers.ts'
import { parseEntriesYielding } from '../parse-entries.ts'
import { LogTrimmedError, StoreUnavailableError, StoreWentBackError } from '../synchronizer.ts'
import { ApiCode, apiCode, asked, type Connection } from './connection.ts'
import { atOf, idOf, type StoredMessage, stampOf, toEntry, toMessage } from './entry-message.ts'
import { publish } from './publish.ts'
import { assertSettings, type Settings } from './stream-settings.ts'
import { createTail, type Tail } from './tail.ts'

/** The state of the log at its leader. */
export interface LogState {
  /** 0 if the log is empty. */
  readonly firstRevision: number
  readonly lastRevision: number
  /** The times of the first and the last message in nanoseconds since 1970, as text. */
  readonly firstStamp: string
  readonly lastStamp: string
  /** The size of the stored messages in bytes. */
  readonly bytes: number
}

/** The log in a stream. The sequence of a message is the revision of its entry. */
export interface NatsLog {
  append(entry: Entry): Promise<Place>
  read(after: Place, limit: number): Promise<LogEntry[]>
  /** Reads from any revision. The position up to which `read` has followed the log does not change. */
  readPast(after: Place, limit: number): Promise<LogEntry[]>
  /** Resolves with true if the store contains this position. */
  holds(place: Place): Promise<boolean>
  /** The position at a revision; undefined if the log has no such revision. */
  placeAt(revision: number): Promise<Place | undefined>
  state(): Promise<LogState>
  onGrowth(listener: (revision?: number) => void): void
  /** Drops the entries before a revision. */
  purge(before: number): Promise<void>
  close(): void
}

export interface LogOptions {
  /** The required configuration of the stream. It must never change, because acknowledged messages are only safe with it. */
  readonly settings: Settings
  readonly copies: number
  readonly timers: Timers
  /**
   * If the leader shows fewer entries than were acknowledged, the loss is accepted only after this time, because a newly elected or
   * replaced leader may show fewer for a while.
   */
  readonly doubtMs: number
}

/** If an acknowledged entry of this process is not delivered within this time, it is read from the stream. */
const OWN_MS = 250
/** Known messages that are not delivered within this time are requested again. */
const SILENT_MS = 500
/**
 * If the delivered messages contradict the state of the stream, both are read again, at most this many times. Servers that contradict each
 * other for longer cannot be used as a store.
 */
const MAX_READS = 5

export function createNatsLog(connection: Connection, { settings, copies, timers, doubtMs }: LogOptions): NatsLog {
  const { name: stream, subjects } = settings
  const [subject = ''] = subjects
  const listeners = new Set<(revision?: number) => void>()
  const news = (revision?: number): void => {
    for (const listener of listeners) listener(revision)
  }
  /** The calls of `append` that wait until their entry is received, by the entry's id. */
  const own = new Map<string, (message: StoredMessage) => void>()
  const arrived = (message: StoredMessage): void => {
    const waits = own.get(idOf(message))
    // the waiting `append` reads the position of its entry from this message, so no listener is notified
    if (waits === undefined) news(message.revision)
    else waits(message)
  }
  const openTail = (after: Place): Promise<Tail> => createTail(connection, { stream, timers, after, onMessage: arrived, onBroken: news })

  let tail: Tail | undefined
  let created: string | undefined
  let doubtedSince: number | undefined

  /**
   * Called for an acknowledged log position that the store does not show. Throws StoreWentBackError if the loss is certain, and otherwise
   * StoreUnavailableError.
   */
  const doubt = (what: string): never => {
    doubtedSince ??= timers.now()
    const message = `the stream ${stream} ${what}`
    if (timers.now() - doubtedSince >= doubtMs) throw new StoreWentBackError(message)
    throw new StoreUnavailableError(`${message}; a newly elected leader may show this for a while, so the stream is read again`)
  }

  const look = async (): Promise<LogState> => {
    const info = await connection.look(stream).catch((error: unknown) => {
      if (apiCode(error) === ApiCode.streamNotFound) return undefined
      throw error
    })
    if (info === undefined) return doubt('is gone')
    assertSettings(info, settings, copies)
    // the stream was created again, so received messages of the former stream do not apply
    if (created !== undefined && created !== info.created) forget()
    created = info.created
    return stateOf(info)
  }

  const forget = (): void => {
    tail?.close()
    tail = undefined
  }

  const assertReaches = (state: LogState, after: Place): void => {
    if (state.lastRevision < after.revision) doubt(`ends at revision ${state.lastRevision}, before ${after.revision}`)
    doubtedSince = undefined
  }
  const assertKept = ({ firstRevision }: LogState, after: Place): void => {
    if (firstRevision > Math.max(1, after.revision)) throw new LogTrimmedError(after.revision, firstRevision)
  }

  const find = async (revision: number): Promise<StoredMessage | undefined> => {
    const found = await connection.find(stream, { seq: revision })
    if (found === null) return undefined
    return { subject: found.subject, revision, stamp: stampOf(found.timestamp), headers: found.header, body: found.data }
  }

  /** A tail that begins at a position: the present tail if it contains the position, otherwise a new one. */
  const tailAt = async (after: Place, state: LogState): Promise<Tail> => {
    if (tail?.moveTo(after) === true && !tail.isBroken) return tail
    forget()
    assertKept(state, after)
    tail = await openTail(after)
    return tail
  }

  /** Returns false if the tail received another last entry than the leader reports. The tail and the leader then have different streams. */
  const isSame = (followed: Tail, { lastRevision, lastStamp }: LogState): boolean => {
    const stamp = followed.stampAt(lastRevision)
    return stamp === undefined || stamp === lastStamp || lastRevision === 0
  }

  /** Reads the position of an entry from its acknowledged copy. */
  const placeOf = async (entry: Entry, revision: number): Promise<Place> => {
    const message = await find(revision)
    if (message === undefined || idOf(message) !== entry.id)
      throw new StoreUnavailableError(`the entry that was acknowledged at revision ${revision} is missing`)
    return { revision, id: entry.id, at: atOf(message) }
  }

  const send = async (entry: Entry): Promise<number> => {
    const { headers, body } = await toMessage(entry, connection.maxPayload())
    return publish(connection, stream, subject, body, headers)
  }

  return {
    async append(entry) {
      // an earlier copy of the entry may have arrived meanwhile
      const earlier = tail?.find(entry.id)
      if (earlier !== undefined) return placeIn(earlier)
      let isOver = false
      let stopWaiting = (): void => {}
      const returned = new Promise<Place>((resolve) => {
        own.set(entry.id, (message) => resolve(placeIn(message)))
      })
      const acknowledged = send(entry).then(async (revision) => {
        if (isOver) return returned
        if (tail !== undefined && !tail.isBroken)
          await new Promise<void>((resolve) => {
            const stop = timers.after(OWN_MS, resolve)
            stopWaiting = () => {
              stop()
              resolve()
            }
          })
        // if the entry has not been delivered meanwhile, it is read from the stream
        return isOver ? returned : placeOf(entry, revision)
      })
      acknowledged.catch(() => undefined)
      try {
        return await Promise.race([returned, acknowledged])
      } finally {
        isOver = true
        own.delete(entry.id)
        stopWaiting()
      }
    },

    async read(after, limit) {
      if (tail?.moveTo(after) === true && tail.count >= limit) return parseEntriesYielding(tail.take(limit), toEntry)
      let state = await look()
      assertReaches(state, after)
      const upTo = Math.min(state.lastRevision, after.revision + limit)
      for (let looks = 0; looks < MAX_READS; looks++) {
        const followed = await tailAt(after, state)
        await followed.reach(upTo, SILENT_MS)
        if (isSame(followed, state)) return parseEntriesYielding(followed.take(limit), toEntry)
        // the received messages belong to another history, so they are received again from the position on
        forget()
        state = await look()
      }
      throw new StoreUnavailableError(`the stream ${stream} reports another last entry than it delivers, ${MAX_READS} times in a row`)
    },

    async readPast(after, limit) {
      const state = await look()
      assertReaches(state, after)
      assertKept(state, after)
      const upTo = Math.min(state.lastRevision, after.revision + limit)
      const past = await createTail(connection, { stream, timers, after, most: limit + 1 })
      try {
        await past.reach(upTo, SILENT_MS)
        return await parseEntriesYielding(past.take(limit), toEntry)
      } finally {
        past.close()
      }
    },

    async holds(place) {
      if (place.revision === 0) return place.id === ORIGIN.id
      const message = await find(place.revision)
      return message !== undefined && idOf(message) === place.id && atOf(message) === place.at
    },

    async placeAt(revision) {
      const message = revision < 1 ? undefined : await find(revision)
      return message && placeIn(message)
    },

    state: look,

    onGrowth(listener) {
      listeners.add(listener)
    },

    async purge(before) {
      // a purge with sequence 1 or 0 would drop all messages
      if (before > 1) await asked(connection.streams.purge(stream, { seq: before }))
    },

    close() {
      listeners.clear()
      forget()
    },
  }
}

const placeIn = (message: StoredMessage): Place => ({ revision: message.revision, id: idOf(message), at: atOf(message) })

function stateOf({ state }: StreamInfo): LogState {
  return {
    firstRevision: state.first_seq,
    lastRevision: state.last_seq,
    firstStamp: stampOf(state.first_ts),
    lastStamp: stampOf(state.last_ts),
    bytes: state.bytes,
  }
}
