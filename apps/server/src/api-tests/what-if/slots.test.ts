import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { slotLimits, slots } from '../../event-loop/slots.ts'
import { codeOf, dataOf, startTestService, type TestService } from '../../testing/test-service.ts'

let api: TestService
beforeAll(async () => {
  api = await startTestService()
  await api.report({ h1: {}, h2: {} })
})
afterAll(async () => {
  expect(api.warnings).toEqual([])
  await api.close()
})

const CAPACITY = 'query ($in: CapacityInput!) { capacity(input: $in) { fits } }'
const spec = { gantt: { flavor: { vcpus: 1, memoryMb: 1_024 } } }
const stays = (): AbortSignal => new AbortController().signal

test('a what-if query waits for a slot of its key until its deadline, is refused if too many wait, and gives its slot up', async () => {
  const taking = vi.spyOn(slots, 'take')
  const { fits } = (await dataOf(api, CAPACITY, { in: { spec } })).capacity
  const [keyId = ''] = taking.mock.calls[0] ?? []
  taking.mockRestore()
  expect([fits > 0, keyId.length > 0, slots.taken]).toEqual([true, true, 0])

  const others = await Promise.all(Array.from({ length: slotLimits.ofKey }, () => slots.take(keyId, 600_000, stays())))
  expect(codeOf(await api.ask(CAPACITY, { in: { spec, deadline: 'PT0.01S' } }))).toBe('DEADLINE_EXCEEDED')
  const callers = Array.from({ length: slotLimits.waiting }, () => new AbortController())
  const waiting = callers.map(({ signal }) => expect(slots.take(keyId, 600_000, signal)).rejects.toThrow('went away'))
  const refused = await api.ask(CAPACITY, { in: { spec } })
  expect(refused.errors[0]?.extensions).toMatchObject({
    ...{ code: 'RATE_LIMITED', rule: 'limit.key_questions', found: '64', allowed: 'at most 64', retryAfterMs: 1_000 },
  })
  expect(refused.errors[0]?.message).toContain('64 calls of this key with what-if queries (simulate, capacity,')
  expect(refused.errors[0]?.message).toContain('send fewer such calls at the same time')
  for (const caller of callers) caller.abort()
  await Promise.all(waiting)

  const next = dataOf(api, CAPACITY, { in: { spec } })
  await expect.poll(() => slots.waiting).toBe(1)
  for (const end of others) end()
  expect((await next).capacity.fits).toBe(fits)
  expect([slots.taken, slots.waiting]).toEqual([0, 0])
})

test('a call with many what-if queries takes one slot, and gives it up when it is answered or refused', async () => {
  const each = Array.from({ length: 8 }, (_, i) => `c${i}: capacity(input: $in) { fits }`).join(' ')
  const taking = vi.spyOn(slots, 'take')
  const answer = await dataOf(api, `query ($in: CapacityInput!) { ${each} }`, { in: { spec } })
  const wrong = await api.ask(`query ($in: CapacityInput!) { ${each} }`, { in: { spec, profile: 'none' } })
  const times = taking.mock.calls.length
  taking.mockRestore()
  expect(Object.keys(answer)).toHaveLength(8)
  expect(codeOf(wrong)).toBe('GRAPHQL_VALIDATION_FAILED')
  expect(times).toBe(2)
  await expect.poll(() => slots.taken).toBe(0)
})

test('one call may ask for four simulations, and the refusal of a fifth says what to do', async () => {
  const simulations = (count: number) => {
    const each = Array.from({ length: count }, (_, i) => `s${i}: simulate(input: $in) { placed }`).join(' ')
    return api.ask(`query ($in: SimulateInput!) { ${each} }`, { in: { requests: [{ spec }] } })
  }
  expect((await simulations(4)).errors).toEqual([])
  const [error] = (await simulations(5)).errors
  expect(error?.message).toContain('at most 4 simulations in one call: send the others in further calls')
  await expect.poll(() => slots.taken).toBe(0)
})
