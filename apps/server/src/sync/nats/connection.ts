import {
  type ConsumerConfig,
  JetStreamApiError,
  type JetStreamManager,
  jetstreamManager,
  type MsgRequest,
  type StoredMsg,
  type StreamInfo,
} from '@nats-io/jetstream'
import {
  type ConnectionOptions,
  connect,
  errors,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  nuid,
  type Payload,
  RequestError,
} from '@nats-io/transport-node'
import { StoreSetupError, StoreUnavailableError } from '../synchronizer.ts'
import type { NatsAddress } from './address.ts'
import { ANSWER_MS, hedged } from './hedged-request.ts'

/** The client connects to another server after this many unanswered pings in a row. */
const PINGS = { pingInterval: 1_000, maxPingOut: 2 }
const CONNECT_TIMEOUT_MS = 2_000
/** The timeout for creating or changing a stream, which several servers must agree on and write. */
const CHANGE_MS = 5_000
const RECONNECT_MS = 100
/** How long closing the connection waits for messages in transit. */
const DRAIN_MS = 1_000

/** A connection to a NATS cluster. It reconnects to another server if the present one is lost. */
export interface Connection {
  readonly nats: NatsConnection
  /** Write operations on streams, with their own longer timeout. Reads use `look` and `find`. */
  readonly streams: JetStreamManager['streams']
  readonly consumers: JetStreamManager['consumers']
  /**
   * The leader's state of a stream, with the subjects that match a filter. Throws StoreUnavailableError if there is no answer, or if the
   * stream does not exist; `apiCode` of the error then is streamNotFound.
   */
  look(stream: string, subjects?: string): Promise<StreamInfo>
  /** Creates a consumer and returns its name. Servers delete it when it is not used. Throws StoreUnavailableError. */
  follow(stream: string, config: Omit<ConsumerConfig, 'name'>): Promise<string>
  /** Deletes a consumer that `follow` created. If the request is lost, the servers delete the consumer later, because it is unused. */
  unfollow(stream: string, consumer: string): void
  /** A message from the leader; null if there is no such message. Throws StoreUnavailableError. */
  find(stream: string, which: MsgRequest): Promise<StoredMsg | null>
  /**
   * The largest message that the server accepts, in bytes. Throws StoreUnavailableError without a connection, because the next server may
   * have another limit.
   */
  maxPayload(): number
  /** Sends a request and waits for the answer. Throws StoreUnavailableError if it is not known whether the request arrived. */
  request(subject: string, payload?: Payload, headers?: MsgHdrs): Promise<Msg>
  /** Calls the listener when the connection was lost and when it is restored. Messages in between were not delivered. */
  onBreak(listener: () => void): () => void
  close(): Promise<void>
}

/**
 * Throws StoreUnavailableError if no server answers, and StoreSetupError if the servers refuse the credentials. `answerMs` is the timeout
 * of an answer.
 */
export async function openConnection(address: NatsAddress, name: string, answerMs = ANSWER_MS): Promise<Connection> {
  const nats = await connect(optionsOf(address, name)).catch((error: unknown) => {
    const where = `NATS at ${address.servers.join(', ')}`
    if (error instanceof errors.AuthorizationError) throw new StoreSetupError([`${where} refuses the credentials of GANTT_SYNC.`])
    throw new StoreUnavailableError(`${where} does not answer: ${messageOf(error)}; start it, or set GANTT_SYNC to one that runs`, {
      cause: error,
    })
  })
  const quick = await jetstreamManager(nats, { timeout: answerMs, checkAPI: false })
  const { streams, consumers } = await jetstreamManager(nats, { timeout: Math.max(answerMs, CHANGE_MS), checkAPI: false })
  const listeners = new Set<() => void>()
  let isConnected = true
  void (async () => {
    for await (const { type } of nats.status()) {
      if (type !== 'disconnect' && type !== 'reconnect') continue
      isConnected = type === 'reconnect'
      for (const listener of listeners) listener()
    }
  })()
  /** Sends a request, and sends it again until an answer arrives or ANSWER_MS have passed. */
  const question = async <T>(ask: () => Promise<T>, late?: (answer: T) => void): Promise<T> => {
    if (!isConnected) throw notConnected()
    return asked(hedged(ask, late))
  }
  const unfollow = (stream: string, consumer: string): void => void nats.publish(`$JS.API.CONSUMER.DELETE.${stream}.${consumer}`)
  return {
    nats,
    streams,
    consumers,
    look: (stream, subjects) => question(() => quick.streams.info(stream, subjects === undefined ? {} : { subjects_filter: subjects })),
    follow(stream, config) {
      const add = async (): Promise<string> => {
        const name = nuid.next()
        await quick.consumers.add(stream, { ...config, name })
        return name
      }
      // after the loss of a server, about one request in three stays unanswered for many seconds while all others are answered at once, so
      // the request is repeated meanwhile
      return question(add, (name) => unfollow(stream, name))
    },
    unfollow,
    find: (stream, which) =>
      question(() => quick.streams.getMessage(stream, which)).catch((error: unknown) => {
        if (apiCode(error) === ApiCode.noMessage) return null
        throw error
      }),
    maxPayload() {
      const { info } = nats
      if (info === undefined) throw notConnected()
      return info.max_payload
    },
    async request(subject, payload, headers) {
      // messages published without a connection would be sent after a reconnect
      if (!isConnected) throw notConnected()
      try {
        return await nats.request(subject, payload, { timeout: answerMs, ...(headers === undefined ? {} : { headers }) })
      } catch (error) {
        throw toStoreError(error)
      }
    },
    onBreak(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      listeners.clear()
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, DRAIN_MS)
      })
      // without a connection there is nothing to drain
      if (isConnected) await Promise.race([nats.drain().catch(() => undefined), late])
      clearTimeout(timer)
      await nats.close()
    },
  }
}

const notConnected = (): StoreUnavailableError => new StoreUnavailableError('there is no connection to NATS')

function optionsOf({ servers, isTls, user, password, token }: NatsAddress, name: string): ConnectionOptions {
  return {
    name,
    servers: [...servers],
    timeout: CONNECT_TIMEOUT_MS,
    ...PINGS,
    maxReconnectAttempts: -1,
    // credentials may be changed on one server after another, so a refusal may be temporary
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    noAsyncTraces: true,
    ...(isTls ? { tls: {} } : {}),
    ...(token === undefined ? {} : { token }),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
  }
}

/** JetStream's error codes. */
export const ApiCode = { streamNotFound: 10_059, consumerNotFound: 10_014, nameInUse: 10_058, noPeers: 10_005, noMessage: 10_037 } as const

/** JetStream's code of an error, or of the cause of a StoreUnavailableError. */
export function apiCode(error: unknown): number | undefined {
  if (error instanceof StoreUnavailableError) return apiCode(error.cause)
  return error instanceof JetStreamApiError ? error.code : undefined
}

/** Converts errors of the connection or the store into StoreUnavailableError. Defects of this service are not converted. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || error instanceof TypeError || error instanceof errors.InvalidArgumentError) return error
  const isSilent = error instanceof errors.TimeoutError
  const hasNoResponders = error instanceof RequestError && error.isNoResponders()
  const why = isSilent
    ? 'no answer in time'
    : hasNoResponders
      ? 'no server answers for the stream: JetStream is off, or has no leader now'
      : messageOf(error)
  return new StoreUnavailableError(`NATS: ${why}`, { cause: error })
}

/** Waits for a call, and converts its error. */
export async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toStoreError(error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
