import { expect, test } from 'vitest'
import { createCalls } from '../call.ts'
import { selectDestinations } from '../documents/placement.ts'
import { RefusedError } from '../errors.ts'
import { createRetry } from '../retry.ts'
import { createTransport } from '../transport.ts'
import { createHedging } from './hedging.ts'

const PLACED = { __typename: 'SelectDestinationsPayload' }
const REFUSED = { __typename: 'NoValidHost' }

/**
 * Sends a call of which a second copy is sent after 3 s, and returns the times that it adds, in milliseconds. `answers` has the time of the
 * answer to each copy, or null if it is never answered.
 */
async function timesOf(answers: readonly [at: number | null, answer: object][]): Promise<readonly number[]> {
  let now = 0
  const times: number[] = []
  const clock = {
    now: () => now,
    async wait(ms: number): Promise<void> {
      now += ms
    },
  }
  let copies = 0
  const answered: (() => void)[] = []
  const fetch: typeof globalThis.fetch = (_url, init) => {
    const [at, answer] = answers[copies++] ?? [null, {}]
    const response = Response.json({ data: { selectDestinations: answer } })
    return new Promise((resolve, reject) => {
      init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      if (at !== null)
        answered[at] = () => {
          now = at
          resolve(response)
        }
      if (copies === answers.length) for (const end of answered) end?.()
    })
  }
  const hedging = {
    ...createHedging(),
    slowAfterMs: () => 3_000,
    takeCopy: () => true,
    took: (_operation: string, ms: number) => {
      times.push(ms)
    },
  }
  const transport = createTransport({ url: ['http://a/graphql', 'http://b/graphql'], fetch }, clock)
  const calls = createCalls({ transport, retry: createRetry({ clock }), clock, hedging, defaults: {} })
  const input = { idempotencyKey: 'k', spec: { gantt: { flavor: { vcpus: 1, memoryMb: 1 } } } }
  await calls.askWithKey(
    'k',
    selectDestinations,
    { input },
    {},
    {
      askAgainAfter: () => undefined,
      refusalOf: ({ selectDestinations: answer }) =>
        answer.__typename === 'SelectDestinationsPayload' ? undefined : new RefusedError(answer),
    },
  )
  return times
}

test.each<readonly [string, Parameters<typeof timesOf>[0], number]>([
  [
    'the second copy is answered',
    [
      [null, {}],
      [4_000, PLACED],
    ],
    4_000,
  ],
  [
    'both copies are answered',
    [
      [5_000, PLACED],
      [4_000, REFUSED],
    ],
    5_000,
  ],
  [
    'the first copy is answered',
    [
      [4_000, PLACED],
      [null, {}],
    ],
    4_000,
  ],
])('an attempt of which %s has one time, which begins with its first copy', async (_what, answers, ms) => {
  expect(await timesOf(answers)).toEqual([ms])
})
