import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { freePorts } from '../free-ports.ts'
import { openDatabase } from './open-database.ts'

const urlAt = (port: number): string => `postgresql://me:secret@127.0.0.1:${port}/gantt`

test('the start waits for an unavailable database until the service is stopped; the message contains the name of the setting and no password', async () => {
  const [port = 0] = await freePorts(1)
  const stop = new AbortController()
  const said: string[] = []
  const opening = openDatabase({
    databaseUrl: urlAt(port),
    stopped: stop.signal,
    warn(line) {
      said.push(line)
      stop.abort('SIGTERM')
    },
  })
  await expect(opening).rejects.toMatchObject({ name: 'StoppedError' })
  expect(said).toHaveLength(1)
  expect(said[0]).toMatch(
    /^waiting for the PostgreSQL server at 127\.0\.0\.1:\d+ that DATABASE_URL names: .*ECONNREFUSED.*\. Start it, or set/,
  )
  expect(said[0]).not.toContain('secret')
})

test("the start also waits for a server that accepts connections without speaking PostgreSQL's protocol", async () => {
  const server = createServer((socket) => socket.end())
  const port = await new Promise<number>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  })
  const stop = new AbortController()
  const warn = () => stop.abort('SIGTERM')
  try {
    await expect(openDatabase({ databaseUrl: urlAt(port), stopped: stop.signal, warn })).rejects.toMatchObject({ name: 'StoppedError' })
  } finally {
    server.close()
  }
})

test('if the start must not wait, the failure is reported at once', async () => {
  const [port = 0] = await freePorts(1)
  const databaseUrl = urlAt(port)
  await expect(openDatabase({ databaseUrl })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
