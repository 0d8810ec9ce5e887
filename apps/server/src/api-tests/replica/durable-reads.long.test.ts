import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { streamText } from '../../testing/stream-text.ts'
import { type SwallowingProxy, startSwallowingProxy } from '../../testing/swallowing-proxy.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.ts'
import { dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let database: TestDatabase
let proxy: SwallowingProxy
let folder: string
let api: TestService

beforeAll(async () => {
  database = await createTestDatabase()
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'gantt-durable-'))
  proxy = await startSwallowingProxy(String(database.connection.host), path.join(folder, 'proxy'))
  // a flush that gets no answer is repeated after `query_timeout`
  const connection = { ...database.connection, host: proxy.host, query_timeout: 4_000 }
  api = await startTestService({ database, connection, sharedFlush: 'on' })
  await api.report({ 'h-1': {} })
})
afterAll(async () => {
  await api.close()
  await proxy.close()
  await database.drop()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('with a shared flush, no answer except health is sent before the data in it is durable', async () => {
  const health = async () => (await dataOf(api, '{ health { revision sharedFlush } }')).health
  const { revision, sharedFlush } = await health()
  expect(sharedFlush).toBe(true)
  const order: string[] = []
  const abort = new AbortController()
  const stream = await fetch(api.url, {
    method: 'POST',
    signal: abort.signal,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', authorization: 'Bearer the-admin-key-of-tests' },
    body: JSON.stringify({ query: 'subscription { hostChanged { host { name } } }' }),
  })
  const pieces = streamText(stream)
  // the first text of the stream is a heartbeat and not an event
  await pieces.next()
  const event = (async () => {
    for (let text = ''; !text.includes('"h-1"'); ) text += (await pieces.next()).value ?? ''
    order.push('event')
  })()
  proxy.swallowAnswersFrom('gantt-flush')
  const placed = placeWith(api, {}).finally(() => order.push('claim'))
  // the decision is in the log and in the state, but is not confirmed to be on disk yet
  await expect.poll(async () => Number((await health()).revision)).toBe(Number(revision) + 1)
  const read = dataOf(api, '{ host(name: "h-1") { capacity { resourceClass claimed } } }').finally(() => order.push('read'))
  const atLeast = dataOf(api, '{ fleetLog { firstRevision } }').finally(() => order.push('other'))
  await health()
  order.push('health')
  expect((await placed).__typename).toBe('SelectDestinationsPayload')
  expect((await read).host.capacity).toContainEqual({ resourceClass: 'VCPU', claimed: 2 })
  await atLeast
  await event
  abort.abort()
  expect(order[0]).toBe('health')
  expect(order).toHaveLength(5)
  expect(proxy.swallowed).toBe(1)
})
