import { expect, test } from 'vitest'
import { createGantt } from '../index.ts'
import { handClock } from '../testing/hand-clock.ts'

interface Sent {
  readonly url: string
  readonly idempotencyKey: string
  fail(): void
  claim(): void
}

const PLACED = { __typename: 'SelectDestinationsPayload', replayed: false, fleetRevision: '1', ignoredFields: [], decision: { id: 'd' } }

/** A client of two endpoints on a clock of the test. While `isHeld` is false, every call is answered at once. */
function heldClient() {
  const clock = handClock()
  const sent: Sent[] = []
  const state = { isHeld: false }
  const answer = (): Response =>
    Response.json({ data: { selectDestinations: { ...PLACED, destinations: [] } } }, { headers: { 'content-type': 'application/json' } })
  const fetch = (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    if (!state.isHeld) return Promise.resolve(answer())
    const { variables } = JSON.parse(String(init?.body)) as { readonly variables: { readonly input: { readonly idempotencyKey: string } } }
    return new Promise((resolve, reject) => {
      const { idempotencyKey } = variables.input
      sent.push({ url: String(url), idempotencyKey, fail: () => reject(new TypeError('lost')), claim: () => resolve(answer()) })
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    })
  }
  const gantt = createGantt({ url: ['http://a/graphql', 'http://b/graphql'], clock, fetch })
  const select = () => gantt.selectDestinations({ spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } })
  const manyAtOnce = async (): Promise<void> => {
    state.isHeld = false
    for (let i = 0; i < 20; i++) await select()
    state.isHeld = true
  }
  return { clock, sent, select, manyAtOnce }
}

test('a call is sent twice at most once: its retry is not, even after twenty further calls', async () => {
  const { clock, sent, select, manyAtOnce } = heldClient()
  await manyAtOnce()
  const answer = select()
  await expect.poll(() => clock.waiting).toBe(1)
  clock.end()
  await expect.poll(() => sent.map(({ url }) => url)).toEqual(['http://a/graphql', 'http://b/graphql'])
  for (const copy of sent) copy.fail()
  await expect.poll(() => clock.waiting).toBe(1)
  await manyAtOnce()
  clock.end()
  await expect.poll(() => sent.length).toBe(3)
  expect(clock.waiting, 'no wait for a time after which the retry is slow').toBe(0)
  sent[2]?.claim()
  expect(await answer).toMatchObject({ __typename: 'SelectDestinationsPayload' })
  expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
})

test('of several slow calls at the same time only one is sent twice', async () => {
  const { clock, sent, select, manyAtOnce } = heldClient()
  await manyAtOnce()
  const answers = [select(), select(), select()]
  await expect.poll(() => clock.waiting).toBe(3)
  clock.end()
  await expect.poll(() => sent.length).toBe(4)
  for (const { claim } of sent) claim()
  await Promise.all(answers)
  expect(sent.filter(({ url }) => url === 'http://b/graphql')).toHaveLength(1)
})
