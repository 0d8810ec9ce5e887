import fc from 'fast-check'
import { buildSchema, type GraphQLObjectType } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { describe, expect, test } from 'vitest'
import { CallerGoneError, duringCall } from '../../../event-loop/query.ts'
import { bytesOf, countAnswers } from '../../../schema/types/answer-size.ts'
import { jsonWithPauses } from '../../json-with-pauses.ts'
import { type Answers, createAnswers, writeWithPauses } from './answer-size.ts'

const KIB = 1_024
const limits = { answerBytes: 64 * KIB, answersBytes: 256 * KIB, smallAnswerBytes: 8 * KIB }

/** A service with 500 items of 1 KiB each. It counts the sizes of its answers, and how many times a value was resolved. */
function aService(answers: Answers = createAnswers(limits)) {
  const schema = buildSchema(`scalar JSON
    type Query { items: [Item!]! item: Item! } type Mutation { change: Item! }
    type Item { text: String! texts: [String!]! json: JSON maybe: String late: String! item: Item }`)
  let calls = 0
  const value = <Value>(of: Value) => ({
    resolve: () => {
      calls++
      return of
    },
  })
  const fieldsOf = (name: string) => (schema.getType(name) as GraphQLObjectType).getFields()
  const { items, item } = fieldsOf('Query')
  Object.assign(items ?? {}, { resolve: () => Array.from({ length: 500 }, () => ({})) })
  Object.assign(item ?? {}, { resolve: () => ({}) })
  Object.assign(fieldsOf('Mutation').change ?? {}, { resolve: () => ({}) })
  const { text, texts, json, maybe, late, item: inner } = fieldsOf('Item')
  Object.assign(text ?? {}, value('x'.repeat(KIB)))
  Object.assign(maybe ?? {}, value('x'.repeat(KIB)))
  Object.assign(texts ?? {}, value(Array.from({ length: 10 }, () => 'x'.repeat(100))))
  Object.assign(json ?? {}, value({ a: [{ b: 'x'.repeat(KIB) }] }))
  Object.assign(inner ?? {}, { resolve: () => ({}) })
  Object.assign(late ?? {}, {
    resolve: async () => {
      calls++
      return 'x'.repeat(KIB)
    },
  })
  countAnswers(schema)
  return {
    answers,
    calls: () => calls,
    async ask(query: string) {
      let stopped = 0
      const answer = answers.begin(() => void stopped++)
      const yoga = createYoga({ schema, logging: false, maskedErrors: false, context: { answer } })
      const body = JSON.stringify({ query })
      const response = await yoga.fetch('http://x/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      return { ...JSON.parse(await response.text()), answer, stopped }
    },
  }
}

describe('an answer is computed up to its limit and no further', () => {
  const aliases = (field: string): string => Array.from({ length: 30 }, (_, i) => `a${i}: ${field}`).join(' ')
  test.each([
    ['texts', aliases('text')],
    ['lists of texts', aliases('texts')],
    ['JSON', aliases('json')],
    ['nullable values', aliases('maybe')],
    ['one large value for each item', 'text'],
  ])('%s', async (_name, fields) => {
    const { ask, calls } = aService()
    const { errors, answer, stopped } = await ask(`{ items { ${fields} } }`)
    expect(errors[0].extensions).toMatchObject({ code: 'COST_EXCEEDED', rule: 'limit.answer', allowed: 'at most 65536' })
    expect(errors[0].message).toContain('Ask for smaller pages, fewer fields or fewer aliases.')
    expect(calls()).toBeLessThanOrEqual(limits.answerBytes / KIB + 1)
    expect({ bytes: answer.bytes, stopped }).toEqual({ bytes: 0, stopped: 1 })
    expect(answer.fault?.extensions.code).toBe('COST_EXCEEDED')
  })

  test('values that resolve later are counted like immediate ones', async () => {
    const { errors, answer } = await aService().ask('{ items { late } }')
    expect(errors[0].extensions.rule).toBe('limit.answer')
    expect(answer.bytes).toBe(0)
  })

  test.each([
    ['names of fields', (name: string) => `{ items { ${name}: maybe } }`],
    ['names for __typename', (name: string) => `{ items { ${name}: __typename } }`],
    ['names for __typename in a fragment', (name: string) => `{ items { ...f } } fragment f on Item { item { ${name}: __typename } }`],
  ])('long %s are counted in the size of an answer', async (_name, query) => {
    const { errors } = await aService().ask(query('n'.repeat(200)))
    expect(errors[0].extensions.rule).toBe('limit.answer')
  })

  test('many small items are counted whichever fields are selected', async () => {
    const small = createAnswers({ ...limits, answerBytes: 8 * KIB })
    expect((await aService(small).ask('{ items { __typename } }')).errors[0].extensions.rule).toBe('limit.answer')
  })

  test('an answer within the limit is sent, and uses its share of memory until the caller has received it', async () => {
    const { ask, answers } = aService()
    const { data, answer } = await ask(`{ item { ${aliases('text')} } }`)
    expect(Object.keys(data.item)).toHaveLength(30)
    expect(answers.bytes).toBe(answer.bytes)
    expect(answers.bytes).toBeGreaterThan(30 * KIB)
    answer.end()
    answer.end()
    expect(answers.bytes).toBe(0)
  })

  test('a call that changed something and whose answer is too large is answered with the message that the change is stored', async () => {
    const many = Array.from({ length: 100 }, (_, i) => `a${i}: text`).join(' ')
    expect((await aService().ask(`mutation { change { ${many} } }`)).errors[0].message).toContain('The changes of the call are kept.')
  })
})

describe('all answers together have a limit', () => {
  test('a large answer is refused as retryable while other answers are unread, and a small one is sent', async () => {
    const { ask, answers } = aService()
    const large = `{ item { ${Array.from({ length: 60 }, (_, i) => `a${i}: text`).join(' ')} } }`
    const held = []
    for (;;) {
      const next = await ask(large)
      if (next.errors) {
        expect(next.errors[0].extensions).toMatchObject({
          code: 'RATE_LIMITED',
          rule: 'limit.answers',
          retryable: true,
          retryAfterMs: 1_000,
        })
        break
      }
      held.push(next.answer)
      expect(answers.bytes).toBeLessThanOrEqual(limits.answersBytes)
    }
    expect(held).toHaveLength(4)
    expect((await ask('{ item { text } }')).errors).toBeUndefined()
    held[0]?.end()
    expect((await ask(large)).errors).toBeUndefined()
  })

  test('each event of a stream is a separate answer, and an event that was sent no longer uses memory', () => {
    const answers = createAnswers(limits)
    const answer = answers.begin(() => expect.unreachable('a stream goes on'))
    const [first, second] = [{}, {}]
    answer.add(60 * KIB, first, false)
    expect(() => answer.add(5 * KIB, first, false)).toThrow('at most 65536')
    expect(() => answer.check(first)).toThrow('at most 65536')
    expect(answers.bytes).toBe(0)
    answer.add(60 * KIB, second, false)
    expect(answer.fault).toBeUndefined()
    expect(answers.bytes).toBe(60 * KIB)
    answer.end()
    expect(answers.bytes).toBe(0)
    expect(() => answer.add(1, second, false)).toThrow(CallerGoneError)
    expect(answers.bytes).toBe(0)
  })
})

test('the size of a value is about that of its JSON, and a value that is too long is not read to its end', () => {
  for (const value of ['text', 'ü'.repeat(10), ['a', ['b', 1]], { a: { b: ['c', null, true] } }, 12, null]) {
    const length = Buffer.byteLength(JSON.stringify(value))
    expect(bytesOf(value, 1_000)).toBeGreaterThanOrEqual(length - 2)
    expect(bytesOf(value, 1_000)).toBeLessThanOrEqual(4 * length + 8)
  }
  expect(bytesOf(new Uint32Array(300), 10_000)).toBe(1_600)
  let looks = 0
  const texts = new Proxy(
    Array.from({ length: 1_000 }, () => 'x'.repeat(100)),
    {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks++
        return Reflect.get(target, key)
      },
    },
  )
  expect(bytesOf(texts, 1_000)).toBeGreaterThan(1_000)
  expect(looks).toBeLessThan(12)
})

describe('a long answer is written in slices', () => {
  test('the chunks of a long answer together equal the text of JSON.stringify', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        expect(await jsonWithPauses(value, 1e9)).toBe(JSON.stringify(value))
      }),
    )
    const odd = { a: undefined, b: [undefined, Number.NaN], c: new Date(0), d: { toJSON: () => [1] }, e: Object.create(null) }
    expect(await jsonWithPauses(odd, 1e9)).toBe(JSON.stringify(odd))
  })

  test('a chunk exceeds its limit by at most one text, and nothing is written beyond the limit of the answer', async () => {
    const chunks: number[] = []
    const texts = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000))
    expect(await jsonWithPauses({ texts }, 1e9, (length) => void chunks.push(length))).toHaveLength(JSON.stringify({ texts }).length)
    expect(chunks).toHaveLength(15)
    expect(Math.max(...chunks)).toBeLessThan(64 * KIB + 1_010)
    chunks.length = 0
    expect(await jsonWithPauses({ texts }, 200_000, (length) => void chunks.push(length))).toBeUndefined()
    expect(chunks).toHaveLength(4)
  })

  test('writing an answer stops after its caller disconnected', async () => {
    const gone = new AbortController()
    let chunks = 0
    const writing = duringCall(gone.signal, () =>
      jsonWithPauses(
        Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)),
        1e9,
        () => {
          if (++chunks === 3) gone.abort()
        },
      ),
    )
    await expect(writing).rejects.toThrow(CallerGoneError)
    expect(chunks).toBe(3)
  })

  test('errors and extensions are written after the data', async () => {
    const answer = createAnswers().begin()
    answer.add(1_000_000, undefined, false)
    const data = { texts: Array.from({ length: 1_000 }, () => 'x'.repeat(1_000)) }
    const written = await writeWithPauses({ data }, answer)
    const others = { errors: [{ message: 'no' }], extensions: { a: 1 } }
    expect(JSON.parse(written.stringify?.({ data, ...others } as never) ?? '')).toEqual({ data, ...others })
    expect(JSON.parse(written.stringify?.({ data }) ?? '')).toEqual({ data })
  })
})
