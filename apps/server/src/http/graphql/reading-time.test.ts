import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { createDocumentCache } from './document-cache.ts'
import { createAnswers } from './limits/answer-size.ts'
import { createYogaHandler } from './yoga.ts'

/** Sends an operation. Returns the content type of the answer, and how many times the reading time of its caller began. */
async function ask(query: string) {
  const schema = buildSchema('type Query { now: Int } type Subscription { later: Int }')
  async function* later() {
    yield { later: 1 }
  }
  Object.assign(schema.getSubscriptionType()?.getFields().later ?? {}, { subscribe: later })
  const handler = createYogaHandler({
    schema,
    services: { moments: { forCall: () => undefined } } as never,
    documents: createDocumentCache(),
    settled: () => undefined,
    heartbeat: () => ({ revision: 1, stateAgeMs: 0 }),
    warn: (message) => expect.unreachable(message),
  })
  let begun = 0
  const response = await handler.fetch(
    new Request('http://localhost/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream, application/json' },
      body: JSON.stringify({ query }),
    }),
    {
      caller: { hosts: [], project: null, scopes: ['READ'], account: 'a', keyId: 'k' } as never,
      requestId: 'r',
      answer: createAnswers().begin(),
      over: new AbortController().signal,
      isToBeRead: () => void begun++,
    },
  )
  await response.text()
  return { type: response.headers.get('content-type')?.split(';')[0], begun }
}

test('the time in which a caller must read begins with a whole answer', async () => {
  expect(await ask('{ now }')).toEqual({ type: expect.stringContaining('json'), begun: 1 })
  expect(await ask('{ unknown }')).toEqual({ type: expect.stringContaining('json'), begun: 1 })
})

test('a stream can be read for as long as it lasts', async () => {
  expect(await ask('subscription { later }')).toEqual({ type: 'text/event-stream', begun: 0 })
})
