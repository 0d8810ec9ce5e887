import { ORIGIN } from '@gantt/scheduler-core'
import { jetstream } from '@nats-io/jetstream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type NatsServers, noNatsServer, startNatsServers } from '../../testing/nats-servers.ts'
import { realTimers } from '../../timers.ts'
import { parseNatsAddress } from './address.ts'
import { type Connection, openConnection } from './connection.ts'
import { atOf, idOf } from './entry-message.ts'
import { createTail } from './tail.ts'

const STREAM = 'TAIL'
const KIB = 1_024

describe.skipIf(noNatsServer !== undefined)(`the tail of a log${noNatsServer === undefined ? '' : ` [skipped: ${noNatsServer}]`}`, () => {
  let server: NatsServers
  let connection: Connection

  beforeAll(async () => {
    server = await startNatsServers()
    const address = parseNatsAddress(server.url)
    if (address === undefined) throw new Error(`${server.url} is not an address`)
    connection = await openConnection(address, 'tail.test')
    await connection.streams.add({ name: STREAM, subjects: [STREAM] })
    const publisher = jetstream(connection.nats, { checkAPI: false })
    await Promise.all(Array.from({ length: 600 }, () => publisher.publish(STREAM, new Uint8Array(KIB))))
  })

  afterAll(async () => {
    await connection.close()
    await server.stop()
  })

  /** How many messages the server has sent, and how many requests for more messages are pending. */
  async function asked(): Promise<{ sent: number; requests: number }> {
    const [consumer] = await connection.consumers.list(STREAM).next()
    return { sent: consumer?.delivered.consumer_seq ?? 0, requests: consumer?.num_waiting ?? 0 }
  }

  test('the tail requests at most one batch beyond its limit of bytes, delivers awaited entries, and continues once messages were dropped', async () => {
    let came = (): void => undefined
    let wanted = 256
    const upTo = (count: number): Promise<void> =>
      new Promise((resolve) => {
        wanted = count
        came = resolve
      })
    const first = upTo(256)
    const tail = await createTail(connection, {
      stream: STREAM,
      timers: realTimers,
      after: ORIGIN,
      maxBytes: 10 * KIB,
      onMessage: ({ revision }) => revision === wanted && came(),
    })
    await first
    expect(await asked()).toEqual({ sent: 256, requests: 0 })
    expect(tail.count).toBe(256)

    await tail.reach(300, 5_000)
    expect(await asked()).toEqual({ sent: 300, requests: 0 })

    const read = tail.take(299).at(-1)
    if (read === undefined) throw new Error('the tail has no messages')
    expect(tail.moveTo({ revision: read.revision, id: idOf(read), at: atOf(read) })).toBe(true)
    // the tail requests another batch of 256, and then no more
    await upTo(556)
    expect(await asked()).toEqual({ sent: 556, requests: 0 })
    tail.close()
  })
})
