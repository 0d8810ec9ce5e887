import { AckPolicy, type ConsumerConfig, DeliverPolicy } from '@nats-io/jetstream'
import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import type { Timers } from '../../timers.ts'
import type { Connection } from './connection.ts'
import type { StoredMessage } from './entry-message.ts'

/** Delivers the messages of a stream from a sequence on, in order and without gaps, as they are stored, until the feed breaks. */
export interface Feed {
  readonly isBroken: boolean
  /** Requests more messages if more can be buffered. Must be called after messages were consumed. */
  refill(): void
  close(): void
}

export interface FeedOptions {
  readonly stream: string
  readonly from: number
  /** Absent: all subjects. */
  readonly subject?: string
  readonly timers: Timers
  /** How many further messages can be buffered now. */
  room(): number
  onMessage(message: StoredMessage): void
  /** Called when the consumer, its server or the connection is lost. At most once, and never after `close`. */
  onBroken(): void
}

/** One request asks for this many messages. */
const BATCH = 256
/** A request for messages ends after this time, and is then repeated. Meanwhile the server sends an idle heartbeat of NATS each second. */
const EXPIRES_MS = 30_000
const HEARTBEAT_MS = 1_000
const SILENT_MS = 2_500
/** The server deletes a consumer after this time without requests. */
const FORGOTTEN_MS = 60_000

/** Opens a feed. Its consumer exists only for this process, in the memory of one server. It has no state that the next feed needs. */
export async function openFeed(connection: Connection, options: FeedOptions): Promise<Feed> {
  const { nats } = connection
  const { stream, from, subject, timers, room, onMessage, onBroken } = options
  const config: Partial<ConsumerConfig> = {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: Math.max(1, from),
    ack_policy: AckPolicy.None,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: nanos(FORGOTTEN_MS),
    ...(subject === undefined ? {} : { filter_subject: subject }),
  }
  const name = await connection.follow(stream, config as ConsumerConfig)

  const inbox = createInbox()
  let delivered = 0
  /** How many requested messages have not arrived. */
  let owed = 0
  let heardAt = timers.now()
  let isOver = false
  const end = (): void => {
    isOver = true
    stopWatching()
    stopListening()
    subscription.unsubscribe()
  }
  const breakOff = (): void => {
    if (isOver) return
    end()
    onBroken()
  }
  const refill = (): void => {
    if (isOver || owed > BATCH / 2) return
    const batch = Math.min(BATCH, room() - owed)
    if (batch <= 0) return
    owed += batch
    nats.publish(
      `$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`,
      JSON.stringify({ batch, expires: nanos(EXPIRES_MS), idle_heartbeat: nanos(HEARTBEAT_MS) }),
      { reply: inbox },
    )
  }
  const takeStatus = (message: Msg): void => {
    const code = message.headers?.code
    if (code === 100) return
    // the request has ended, so messages that it did not deliver are requested again
    if (code === 408 || code === 404) {
      owed -= Number(message.headers?.get('Nats-Pending-Messages') || owed)
      refill()
    } else breakOff()
  }
  const subscription = nats.subscribe(inbox, {
    callback: (error, message) => {
      if (isOver) return
      if (error !== null) return breakOff()
      heardAt = timers.now()
      const delivery = readDelivery(message.reply)
      if (delivery === undefined) return takeStatus(message)
      // a message was lost in transit, and the next feed requests it
      if (delivery.count !== delivered + 1) return breakOff()
      delivered++
      owed--
      const { subject, headers, data: body } = message
      onMessage({ subject, revision: delivery.sequence, stamp: delivery.stamp, headers, body })
      refill()
    },
  })
  const stopListening = connection.onBreak(breakOff)
  const stopWatching = timers.every(HEARTBEAT_MS, () => {
    // without a pending request no messages are delivered, so silence is normal then
    if (owed > 0 && timers.now() - heardAt > SILENT_MS) breakOff()
  })
  refill()
  return {
    get isBroken() {
      return isOver
    },
    refill,
    close() {
      if (isOver) return
      end()
      connection.unfollow(stream, name)
    },
  }
}

/** Parses the reply subject of a delivery. Undefined if the message is not a delivery. */
function readDelivery(reply: string | undefined): { sequence: number; count: number; stamp: string } | undefined {
  if (reply?.startsWith('$JS.ACK.') !== true) return undefined
  const tokens = reply.split('.')
  // newer servers name domain and account before the stream, and add a token at the end
  const first = tokens.length > 9 ? 6 : 4
  return { sequence: Number(tokens[first + 1]), count: Number(tokens[first + 2]), stamp: tokens[first + 3] ?? '' }
}
