import { once } from 'node:events'
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { connect, createInbox, type NatsConnection } from '@nats-io/transport-node'

interface SnapshotAnswer {
  readonly config: StreamInfo['config']
  readonly state: StreamInfo['state']
}

/** Makes a backup of a stream like `nats stream backup`. The returned function restores it over the present content. */
export async function backUpStream(port: number, stream: string): Promise<() => Promise<void>> {
  const { config, state, chunks } = await withConnection(port, async (nats) => {
    const chunks: Uint8Array[] = []
    const inbox = createInbox()
    const end = new EventTarget()
    const whole = once(end, 'end')
    nats.subscribe(inbox, {
      callback: (_error, message) => {
        if (message.data.length === 0) end.dispatchEvent(new Event('end'))
        else chunks.push(message.data)
        message.respond()
      },
    })
    const answer = await ask<SnapshotAnswer>(nats, `STREAM.SNAPSHOT.${stream}`, { deliver_subject: inbox, no_consumers: true })
    await whole
    return { ...answer, chunks }
  })
  return () =>
    withConnection(port, async (nats) => {
      await (await jetstreamManager(nats, { checkAPI: false })).streams.delete(stream)
      const { deliver_subject: subject } = await ask<{ deliver_subject: string }>(nats, `STREAM.RESTORE.${stream}`, { config, state })
      for (const chunk of chunks) await nats.request(subject, chunk)
      await nats.request(subject)
    })
}

async function ask<Answer>(nats: NatsConnection, call: string, body: unknown): Promise<Answer> {
  const answer = (await nats.request(`$JS.API.${call}`, JSON.stringify(body), { timeout: 60_000 })).json<
    Answer & { error?: { description: string } }
  >()
  if (answer.error !== undefined) throw new Error(`${call}: ${answer.error.description}`)
  return answer
}

async function withConnection<T>(port: number, use: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connect({ port })
  try {
    return await use(nats)
  } finally {
    await nats.close()
  }
}
