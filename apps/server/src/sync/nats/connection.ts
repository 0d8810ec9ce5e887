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

/** A server that does not answer this many pings in a row is left for another one. */
const PINGS = { pingInterval: 1_000, maxPingOut: 2 }
const DIAL_MS = 2_000
/** How long making or changing a stream may take: several servers have to agree and write. */
const CHANGE_MS = 5_000
const RECONNECT_MS = 100
/** How long what is on its way may take when the connection is closed. */
const DRAIN_MS = 1_000

/** One connection to a NATS cluster, which goes from server to server as they come and go. */
export interface Connection {
  readonly nats: NatsConnection
  /** For what changes something, which may take longer; questions are asked by the two below. */
  readonly streams: JetStreamManager['streams']
  readonly consumers: JetStreamManager['consumers']
  /** What the leader of a stream says of it, with the subjects that are like a filter. Throws StoreUnavailableError, also where there is no such stream (see apiCode). */
  look(stream: string, subjects?: string): Promise<StreamInfo>
  /** Makes a consumer that lives as long as it is used, under a name that is answered. Throws StoreUnavailableError. */
  follow(stream: string, config: Omit<ConsumerConfig, 'name'>): Promise<string>
  /** Drops one of those. Whether the servers hear of it does not matter: they forget it anyway. */
  unfollow(stream: string, consumer: string): void
  /** A message as the leader has it; null when it has none like that. Throws StoreUnavailableError. */
  find(stream: string, which: MsgRequest): Promise<StoredMsg | null>
  /** The largest message that the server takes, bytes. Throws StoreUnavailableError between two servers: what the next one takes is not known. */
  maxPayload(): number
  /** Asks and waits for the answer. Throws StoreUnavailableError: whether it was heard is not known. */
  request(subject: string, payload?: Payload, headers?: MsgHdrs): Promise<Msg>
  /** Calls back when the connection was lost, and when it is there again: what was to be delivered meanwhile was not. */
  onBreak(listener: () => void): () => void
  close(): Promise<void>
}

/**
 * Throws StoreUnavailableError when no server answers, StoreSetupError when they do not let this one in. `answerMs`: how long an
 * answer may take.
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
  /** Asks until there is an answer, or it is certain that there is none. */
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
      // after a server was lost about one in three is not answered for many seconds, and others at once: the next is asked for meanwhile
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
      // what is published without a connection would be sent whenever there is one again
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
      // without a connection there is nothing to be drained
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
    timeout: DIAL_MS,
    ...PINGS,
    maxReconnectAttempts: -1,
    // credentials may be changed on the servers one after the other
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: RECONNECT_MS,
    reconnectJitter: RECONNECT_MS,
    noAsyncTraces: true,
    ...(isTls ? { tls: {} } : {}),
    ...(token === undefined ? {} : { token }),
    ...(user === undefined ? {} : { user, pass: password ?? '' }),
  }
}

/** Codes of JetStream. */
export const ApiCode = { streamNotFound: 10_059, consumerNotFound: 10_014, nameInUse: 10_058, noPeers: 10_005, noMessage: 10_037 } as const

/** JetStream's code of an error, or of what is behind a StoreUnavailableError. */
export function apiCode(error: unknown): number | undefined {
  if (error instanceof StoreUnavailableError) return apiCode(error.cause)
  return error instanceof JetStreamApiError ? error.code : undefined
}

/** Whatever went wrong between this process and the store, as the error of the contract. Defects of ours stay what they are. */
export function toStoreError(error: unknown): unknown {
  if (error instanceof StoreUnavailableError || error instanceof TypeError || error instanceof errors.InvalidArgumentError) return error
  const isSilent = error instanceof errors.TimeoutError
  const isNobody = error instanceof RequestError && error.isNoResponders()
  const why = isSilent
    ? 'no answer in time'
    : isNobody
      ? 'nobody answers for the stream: JetStream is off, or has no leader now'
      : messageOf(error)
  return new StoreUnavailableError(`NATS: ${why}`, { cause: error })
}

/** The same for whole calls. */
export async function asked<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw toStoreError(error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
