import { DiscardPolicy, type StreamConfig } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import { ApiCode, apiCode, asked, type Connection } from '../../sync/nats/connection.ts'
import { checkpointSettings, ensureStream, namesOf } from '../../sync/nats/stream-settings.ts'
import { StoreSetupError } from '../../sync/synchronizer.ts'

/** The stream of a store, and its subjects. */
export interface StoreStream {
  readonly stream: string
  /** The subject of the messages, or the beginning of their subjects. */
  readonly subject: string
}

/** The streams of one fleet that are not the log. */
export interface StoreStreams {
  /** All edits of keys since the beginning. */
  readonly keys: StoreStream
  /** Records that the tables do not have yet. */
  readonly records: StoreStream
  /** The last sign of life of each replica. */
  readonly replicas: StoreStream
  /** The last signs of life of hosts, and the last reader of the leases. */
  readonly leases: StoreStream
}

const streamOf = (fleet: string, name: string): StoreStream => ({
  stream: `GANTT_${fleet}_${name.toUpperCase()}`,
  subject: `gantt.${fleet}.${name}`,
})

export const storeStreamsOf = (fleet: string): StoreStreams => ({
  keys: streamOf(fleet, 'keys'),
  records: streamOf(fleet, 'records'),
  replicas: streamOf(fleet, 'replicas'),
  leases: streamOf(fleet, 'leases'),
})

const NANOS_PER_MS = 1_000_000

/**
 * Creates missing streams, and sets the maximum size of the stream of records. Throws StoreSetupError if another setting is not as
 * required.
 */
export async function ensureStoreStreams(
  connection: Connection,
  fleet: string,
  { copies, recordBytes, forgottenAfterMs }: { readonly copies: number; readonly recordBytes: number; readonly forgottenAfterMs: number },
): Promise<StoreStreams> {
  const names = storeStreamsOf(fleet)
  const kept = checkpointSettings(namesOf(fleet))
  const inOrder = ({ stream, subject }: StoreStream) => ({ ...kept, name: stream, subjects: [subject] })
  const lastOfEach = ({ stream, subject }: StoreStream) => ({
    ...{ ...kept, name: stream, subjects: [`${subject}.>`] },
    ...{ discard: DiscardPolicy.Old, max_msgs_per_subject: 1, max_age: forgottenAfterMs * NANOS_PER_MS },
  })
  const tooSmall = (error: unknown): never => {
    if (apiCode(error) !== NO_ROOM) throw error
    throw new StoreSetupError([
      `The nats-servers have no room for the stream ${names.records.stream} of ${recordBytes} bytes: give JetStream more (max_file), or set GANTT_RECORDS_BYTES to less.`,
    ])
  }
  await setBytes(connection, names.records.stream, recordBytes).catch(tooSmall)
  await Promise.all([
    ensureStream(connection, inOrder(names.keys), copies),
    ensureStream(connection, { ...inOrder(names.records), max_bytes: recordBytes }, copies).catch(tooSmall),
    ensureStream(connection, lastOfEach(names.replicas), copies),
    ensureStream(connection, lastOfEach(names.leases), copies),
  ])
  return names
}

/** Changes the maximum size of a stream. Operators may change this setting. */
async function setBytes(connection: Connection, stream: string, bytes: number): Promise<void> {
  const found = await connection.look(stream).catch((error: unknown) => {
    if (apiCode(error) === ApiCode.streamNotFound) return undefined
    throw error
  })
  if (found !== undefined && found.config.max_bytes !== bytes)
    await asked(connection.streams.update(stream, { max_bytes: bytes } as Partial<StreamConfig>))
}

/** JetStream's error code if the servers have too little storage. */
const NO_ROOM = 10_047
export function follows(sequence: number): MsgHdrs {
  const head = headers()
  head.set('Nats-Expected-Last-Subject-Sequence', String(sequence))
  return head
}
