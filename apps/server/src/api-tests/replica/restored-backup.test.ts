import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { codeOf, dataOf, placeWith, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService

beforeAll(async () => {
  api = await startTestService()
  await api.report({ 'h-1': {} })
})
afterAll(() => api.close())

test('after a backup was restored, writes are refused with a code, and reads continue', async () => {
  expect(await dataOf(api, '{ health { mode code sharedFlush flushMs } }')).toEqual({
    health: { mode: 'NORMAL', code: null, sharedFlush: false, flushMs: null },
  })
  await placeWith(api, {})
  const client = new pg.Client(api.connection)
  await client.connect()
  await client.query('DELETE FROM log WHERE revision > 1')
  await client.end()
  const refused = await api.ask(
    `mutation { selectDestinations(input: { idempotencyKey: "back", spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } }) { __typename } }`,
  )
  expect(codeOf(refused)).toBe('STORE_WENT_BACK')
  expect(refused.errors[0]?.extensions).toMatchObject({ retryable: false })
  expect(refused.status).toBe(503)
  const { health } = await dataOf(api, '{ health { mode code reason } }')
  expect(health).toMatchObject({ mode: 'READ_ONLY', code: 'store.went_back' })
  expect(health.reason).toContain('a backup was restored, or a fail-over lost data')
  const { host } = await dataOf(api, '{ host(name: "h-1") { capacity { resourceClass claimed } } }')
  expect(host.capacity).toContainEqual({ resourceClass: 'VCPU', claimed: 2 })
})
