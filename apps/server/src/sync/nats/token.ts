import { AckPolicy, type ConsumerConfig, DeliverPolicy } from '@nats-io/jetstream'
import { createInbox, type Msg, nanos } from '@nats-io/transport-node'
import type { Timers } from '../../timers.ts'
import { asked, type Connection } from './connection.ts'

/**
 * Something that one replica has at a time: a message that is delivered to one of those who ask, in the order of asking,
 * and to the next one once it is given back, or when its holder was silent for too long. A courtesy: a server that is lost
 * may lose it, or hand it out twice.
 */
export interface Token {
  /** Makes the consumer where it is not there. */
  ensure(): Promise<void>
  /** Undefined when it was not given in time, or this process waits for it already. */
  take(waitMs: number): Promise<HeldToken | undefined>
  close(): void
}

export interface HeldToken {
  giveBack(): void
  /** Keeps it for longer. */
  renew(): void
}

export interface TokenOptions {
  readonly stream: string
  readonly subject: string
  readonly name: string
  /** How long a holder may be silent. */
  readonly heldMs: number
  readonly copies: number
  readonly timers: Timers
}

/** How long after its time-out an answer may still come. */
const GRACE_MS = 50
/** How many replicas may wait at once. */
const MOST_WAITING = 512

export function createToken(connection: Connection, { stream, subject, name, heldMs, copies, timers }: TokenOptions): Token {
  const { nats } = connection
  const inbox = createInbox()
  let waiting: { readonly reply: string; answer(message: Msg | undefined): void } | undefined
  let asks = 0
  const subscription = nats.subscribe(`${inbox}.*`, {
    callback: (error, message) => {
      if (error !== null) return
      // the token comes under its own subject; a word about an ask under that of the ask
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
        max_waiting: MOST_WAITING,
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
