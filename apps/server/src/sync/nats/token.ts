import { AckPolicy, type ConsumerConfig, DeliverPolicy } from '@nats-io/jetstream'
import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import type { Timers } from '../../timers.ts'
import { asked, type Connection } from './connection.ts'

/**
 * A token that one replica holds at a time. It is a message that is delivered to the replicas that request it, in the order of their
 * requests. The next replica gets the token when the holder returns it, or was silent for too long. It is not a lock: if a server is lost,
 * the token may be lost or delivered twice.
 */
export interface Token {
  /** Creates the consumer if it does not exist. */
  ensure(): Promise<void>
  /** Undefined if the token did not arrive in time, or if this process already waits for it. */
  take(waitMs: number): Promise<HeldToken | undefined>
  close(): void
}

export interface HeldToken {
  giveBack(): void
  /** Extends the time for which the token is held. */
  renew(): void
}

export interface TokenOptions {
  readonly stream: string
  readonly subject: string
  readonly name: string
  /** A holder that is silent for longer than this loses the token. */
  readonly heldMs: number
  readonly copies: number
  readonly timers: Timers
}

/** An answer may arrive this long after the timeout of its request. */
const GRACE_MS = 50
/** At most this many replicas may wait at once. */
const MAX_WAITING_REPLICAS = 512

export function createToken(connection: Connection, { stream, subject, name, heldMs, copies, timers }: TokenOptions): Token {
  const { nats } = connection
  const inbox = createInbox()
  let waiting: { readonly reply: string; answer(message: Msg | undefined): void } | undefined
  let asks = 0
  const subscription = nats.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error !== null) return
      // the token arrives with its own reply subject; a status message about the request arrives on the subject of the request
      const isToken = message.reply?.startsWith('$JS.ACK.') === true
      if (isToken && waiting === undefined) message.respond('-NAK')
      else if (isToken) waiting?.answer(message)
      else if (message.subject === waiting?.reply) waiting.answer(undefined)
    },
  })
  return {
    async ensure() {
      const config = {
        durable_name: name,
        deliver_policy: DeliverPolicy.All,
        ack_policy: AckPolicy.Explicit,
        ack_wait: nanos(heldMs),
        max_ack_pending: 1,
        max_deliver: -1,
        max_waiting: MAX_WAITING_REPLICAS,
        filter_subject: subject,
        num_replicas: copies,
      }
      await asked(connection.consumers.add(stream, config as Partial<ConsumerConfig> as ConsumerConfig))
      const { state } = await connection.look(stream, subject)
      if (state.subjects?.[subject] === undefined) await connection.request(subject)
    },
    async take(waitMs) {
      if (waiting !== undefined) return undefined
      const reply = `${inbox}.${++asks}`
      const message = await new Promise<Msg | undefined>((resolve) => {
        const stop = timers.after(waitMs + GRACE_MS, () => waiting?.answer(undefined))
        const answer = (found: Msg | undefined): void => {
          stop()
          waiting = undefined
          resolve(found)
        }
        waiting = { reply, answer }
        nats.publish(`$JS.API.CONSUMER.MSG.NEXT.${stream}.${name}`, JSON.stringify({ batch: 1, expires: nanos(waitMs) }), { reply })
      })
      return message && { giveBack: () => void message.respond('-NAK'), renew: () => void message.respond('+WPI') }
    },
    close: () => subscription.unsubscribe(),
  }
}
