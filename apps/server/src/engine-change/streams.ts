import { setTimeout as sleep } from 'node:timers/promises'
import type { LogEntry } from '@gantt/scheduler-core'
import type { StreamConfig, StreamInfo } from '@nats-io/jetstream'
import { openNatsReplicas } from '../stores/nats/replicas.ts'
import { type StoreStreams, storeStreamsOf } from '../stores/nats/streams.ts'
import type { ReplicaRows } from '../stores/replicas.ts'
import type { NatsAddress } from '../sync/nats/address.ts'
import { createCheckpoints } from '../sync/nats/checkpoints.ts'
import { ApiCode, apiCode, asked, type Connection, openConnection } from '../sync/nats/connection.ts'
import { openCoordination } from '../sync/nats/coordination.ts'
import { toEntry, toMessage } from '../sync/nats/entry-message.ts'
import { readMessages } from '../sync/nats/messages.ts'
import { publish } from '../sync/nats/publish.ts'
import {
  checkpointSettings,
  checkServer,
  ensureStream,
  inPhase,
  logSettings,
  type Names,
  namesOf,
  type Phase,
} from '../sync/nats/stream-settings.ts'
import { fromParts } from '../sync/parts.ts'
import { StoreUnavailableError } from '../sync/synchronizer.ts'
import { realTimers } from '../timers.ts'
import type { ReadableLog } from './fold.ts'

/** The present state of a fleet's log stream. */
export interface NatsLogState {
  readonly phase: Phase | 'here' | 'absent'
  /** The id of the change that filled or closed the stream; empty if there was none. */
  readonly change: string
  readonly firstRevision: number
  /** The last revision; 0 if the stream has no entry. */
  readonly lastRevision: number
}

/** The streams of one fleet, for a change of engine. */
export interface NatsSide {
  readonly connection: Connection
  readonly copies: number
  readonly names: Names
  readonly stores: StoreStreams
  state(): Promise<NatsLogState>
  /** The last sign of life of each replica. */
  replicas(): Promise<ReplicaRows>
  /** Closes the streams. From then on, no entry, record or edit of keys can be published. */
  leave(change: string): Promise<void>
  /** Opens the streams again. */
  comeBack(): Promise<void>
  /** Removes all streams of the fleet. */
  remove(): Promise<void>
  /**
   * Creates the log's stream in the closed state, and copies entries and checkpoints with their revisions. `each` is called after each
   * entry, with the count of entries copied so far.
   */
  fill(change: string, from: ReadableLog, each: (entries: number) => void): Promise<void>
  read(): Promise<ReadableLog>
  /** Opens a filled stream atomically, by one change of its settings. */
  declare(): Promise<void>
  close(): Promise<void>
}

/** no caller waits for this command, so answers may take long */
const ANSWER_MS = 30_000

/** At most this many entries, and at most this many bytes of entries, are published without an acknowledgement. */
const MAX_PENDING = 64
const MAX_PENDING_BYTES = 4_194_304
/** The timeout for a cluster whose copies are not in sync, and the interval of the checks. */
const TIMEOUT_MS = 30_000
const RETRY_DELAY_MS = 200

export async function openNatsSide(address: NatsAddress): Promise<NatsSide> {
  const connection = await openConnection(address, 'gantt migrate-sync', ANSWER_MS)
  try {
    return createSide(connection, address.fleet, checkServer(connection))
  } catch (error) {
    await connection.close()
    throw error
  }
}

function createSide(connection: Connection, fleet: string, copies: number): NatsSide {
  const { streams } = connection
  const names = namesOf(fleet)
  const stores = storeStreamsOf(fleet)
  const checkpoints = createCheckpoints(connection, { stream: names.checkpoints, subject: names.checkpointSubject, timers: realTimers })
  const find = (stream: string): Promise<StreamInfo | undefined> =>
    asked(streams.info(stream)).catch((error: unknown) => {
      if (apiCode(error) === ApiCode.streamNotFound) return undefined
      throw error
    })
  const get = async (stream: string): Promise<StreamInfo> => {
    const found = await find(stream)
    if (found === undefined) throw new StoreUnavailableError(`the stream ${stream} is gone`)
    return found
  }
  const setSubject = async (stream: string, subject: string, description?: string): Promise<void> => {
    const config: Partial<StreamConfig> = { subjects: [subject], ...(description === undefined ? {} : { description }) }
    if ((await find(stream)) !== undefined) await asked(streams.update(stream, config))
  }
  /** The streams that callers' answers depend on. The other streams contain signs of life, or data that can be computed from the log. */
  const answered = [stores.keys, stores.records, { stream: names.log, subject: names.logSubject }]

  return {
    connection,
    copies,
    names,
    stores,

    async state() {
      const found = await find(names.log)
      if (found === undefined) return { phase: 'absent', change: '', firstRevision: 0, lastRevision: 0 }
      const { config, state } = found
      const isIn = (phase: Phase): boolean => config.subjects?.includes(inPhase(names.logSubject, phase)) === true
      const phase = isIn('incoming') ? 'incoming' : isIn('left') ? 'left' : 'here'
      return { phase, change: config.description ?? '', firstRevision: state.first_seq, lastRevision: state.last_seq }
    },

    async replicas() {
      if ((await find(stores.replicas.stream)) === undefined) return { now: 0, rows: [] }
      const coordination = await openCoordination(connection, names, copies, realTimers)
      try {
        const { time } = coordination
        const replicas = await openNatsReplicas(connection, { names: stores.replicas, log: names.log, timers: realTimers, time })
        try {
          return await replicas.list()
        } finally {
          replicas.close()
        }
      } finally {
        coordination.close()
      }
    },

    async leave(change) {
      for (const { stream, subject } of answered) await setSubject(stream, inPhase(subject, 'left'), change)
      await inStep(get, names.log)
    },

    async comeBack() {
      // the log is opened last, because replicas can start when it is open
      for (const { stream, subject } of answered) await setSubject(stream, subject)
    },

    async remove() {
      const others = Object.values(stores).map(({ stream }) => stream)
      for (const stream of [names.log, names.checkpoints, names.coordination, ...others])
        if ((await find(stream)) !== undefined) await asked(streams.delete(stream))
    },

    async fill(change, from, each) {
      const subject = inPhase(names.logSubject, 'incoming')
      await ensureStream(connection, { ...logSettings(names), subjects: [subject], description: change }, copies)
      await ensureStream(connection, checkpointSettings(names), copies)
      // After an empty stream is purged up to a sequence, its next message gets this sequence.
      if (from.firstRevision > 1) await asked(streams.purge(names.log, { seq: from.firstRevision }))
      await publishAll(connection, { stream: names.log, subject }, from, each)
      for (const { revision, logBytes } of from.checkpoints)
        if (!(await checkpoints.save(await from.checkpoint(revision), logBytes, () => undefined)))
          throw new StoreUnavailableError(`the checkpoint at revision ${revision} was removed while it was written`)
    },

    async read() {
      const { state } = await get(names.log)
      const heads = (await checkpoints.list()).filter(({ revision }) => revision >= state.first_seq && revision <= state.last_seq)
      return {
        name: 'the log in NATS',
        firstRevision: state.last_seq === 0 ? 0 : state.first_seq,
        lastRevision: state.last_seq,
        async *entries(first) {
          const count = state.last_seq === 0 ? 0 : state.last_seq - first + 1
          for await (const message of readMessages(connection, { stream: names.log, from: first, count, timers: realTimers }))
            yield toEntry(message)
        },
        checkpoints: heads,
        async checkpoint(revision) {
          const head = heads.find((one) => one.revision === revision)
          const found = head && (await checkpoints.load(head, fromParts))
          if (found === undefined) throw new StoreUnavailableError(`the checkpoint at revision ${revision} is gone`)
          return found
        },
      }
    },

    async declare() {
      await inStep(get, names.log)
      await setSubject(names.log, names.logSubject)
    },

    close: () => connection.close(),
  }
}

/** Resolves when every copy of a stream has caught up with its leader. Throws StoreUnavailableError after a timeout. */
async function inStep(get: (stream: string) => Promise<StreamInfo>, stream: string): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; ; await sleep(RETRY_DELAY_MS)) {
    const { cluster } = await get(stream)
    const late = (cluster?.replicas ?? []).filter(({ current, offline }) => !current || offline === true)
    if (late.length === 0) return
    if (Date.now() > end)
      throw new StoreUnavailableError(
        `the stream ${stream} is not in sync on ${late.map(({ name }) => name).join(', ')}; start the servers that are down`,
      )
  }
}

/** Publishes entries in order, several without waiting for an acknowledgement. Checks that each entry's sequence is its revision. */
async function publishAll(
  connection: Connection,
  { stream, subject }: { readonly stream: string; readonly subject: string },
  from: ReadableLog,
  each: (entries: number) => void,
): Promise<void> {
  const waiting: { readonly bytes: number; readonly done: Promise<void> }[] = []
  let bytes = 0
  let count = 0
  const settle = async (): Promise<void> => {
    const first = waiting.shift()
    if (first === undefined) return
    await first.done
    bytes -= first.bytes
    each(++count)
  }
  const send = async ({ headers, body }: Awaited<ReturnType<typeof toMessage>>, revision: number): Promise<void> => {
    const sequence = await publish(connection, stream, subject, body, headers)
    if (sequence !== revision)
      throw new StoreUnavailableError(`the stream ${stream} stored revision ${revision} as message ${sequence}; the numbers must be equal`)
  }
  for await (const entry of from.entries(from.firstRevision)) {
    const message = await toMessage(entry, connection.maxPayload(), entry.at)
    while (waiting.length >= MAX_PENDING || (waiting.length > 0 && bytes + message.body.length > MAX_PENDING_BYTES)) await settle()
    const done =
      entry.revision === from.firstRevision ? sendFirst(() => send(message, entry.revision), entry) : send(message, entry.revision)
    // if the call fails, the code that awaits `done` later reports the error
    done.catch(() => undefined)
    if (entry.revision === from.firstRevision) await done
    waiting.push({ bytes: message.body.length, done })
    bytes += message.body.length
  }
  while (waiting.length > 0) await settle()
}

/** Sends the first message. After a purge, the leader of a cluster may refuse it once, before it has noticed the purge. */
async function sendFirst(send: () => Promise<void>, { revision }: LogEntry): Promise<void> {
  for (const end = Date.now() + TIMEOUT_MS; ; await sleep(RETRY_DELAY_MS)) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || revision === 1 || Date.now() > end) throw error
    }
  }
}
