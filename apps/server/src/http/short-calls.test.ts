import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { TURN_MS, turns } from '../event-loop/pauses.ts'
import { answerYielding } from '../event-loop/query.ts'
import { type Answer, startTestService, type TestService } from '../testing/test-service.ts'

const QUERIES = 100

let api: TestService
beforeAll(async () => {
  api = await startTestService()
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => api.close())

/** Takes all the time that long work has in one turn of the event loop. */
function useUpTurn(): void {
  const end = performance.now() + TURN_MS
  while (performance.now() < end);
}

/**
 * Sends a call while long queries wait for their turns of the event loop. Returns how many of the queries continued between the start of
 * the call and its answer. Queries continue in the order in which they wait. So if the call waits as they do, all of them continue.
 */
async function askAmongQueries(document: string, variables: object): Promise<{ readonly answer: Answer; readonly continued: number }> {
  const continued = new Set<number>()
  let isStarted = false
  let isOver = false
  function* query(id: number): Generator<undefined, void> {
    while (!isOver) {
      yield
      if (isOver || !isStarted) continue
      useUpTurn()
      continued.add(id)
      // further steps would only make the test slow
      isOver = continued.size === QUERIES
    }
  }
  const queries = Array.from({ length: QUERIES }, (_, id) => answerYielding(query(id)))
  // every call may wait once before it starts, so queries are counted from then on
  const { admit } = turns
  vi.spyOn(turns, 'admit').mockImplementation(async () => {
    await admit()
    isStarted = true
    useUpTurn()
  })
  try {
    const answer = await api.ask(document, variables)
    return { answer, continued: continued.size }
  } finally {
    isOver = true
    await Promise.all(queries)
  }
}

const HEALTH = '{ health { release } }'

test.each([
  ['no variables', HEALTH, {}],
  ['one variable', 'query ($is: Boolean!) { health { release @include(if: $is) } }', { is: true }],
  ['2,000 values', HEALTH, { unread: new Array(1_999).fill(0) }],
])('a call with %s is answered without waiting for the turns of long queries', async (_name, document, variables) => {
  const { answer, continued } = await askAmongQueries(document, variables)
  expect(answer.data).toEqual({ health: { release: expect.any(String) } })
  expect(continued).toBeLessThan(QUERIES)
})

test('a call with more than 2,000 values waits for its turn among long queries', async () => {
  const { answer, continued } = await askAmongQueries(HEALTH, { unread: new Array(2_000).fill(0) })
  expect(answer.data).toEqual({ health: { release: expect.any(String) } })
  expect(continued).toBe(QUERIES)
})
