import { buildSchema, execute, type GraphQLObjectType, type GraphQLSchema, getIntrospectionQuery, graphqlSync, parse } from 'graphql'
import { createYoga } from 'graphql-yoga'
import { describe, expect, test } from 'vitest'
import { duringCall } from '../../event-loop/query.ts'
import type { Json } from '../../testing/test-service.ts'
import { pauseInLongLists } from './long-lists.ts'

type Answer = (schema: GraphQLSchema, query: string) => Promise<Json>

/** The executors that answer calls: known documents are answered without Yoga. */
const executors: readonly (readonly [string, Answer])[] = [
  [
    'Yoga',
    async (schema, query) => {
      const yoga = createYoga({ schema, logging: false, maskedErrors: false, parserAndValidationCache: false })
      const [headers, body] = [{ 'content-type': 'application/json' }, JSON.stringify({ query })]
      return await (await yoga.fetch('http://x/graphql', { method: 'POST', headers, body })).json()
    },
  ],
  ['graphql-js', async (schema, query) => JSON.parse(JSON.stringify(await execute({ schema, document: parse(query) })))],
]

/** A schema with a list of items. `resolve` resolves a field of each item. */
function aService(answer: Answer, length: number, resolve: (item: number) => unknown) {
  const schema = buildSchema('type Query { items: [Item!]! } type Item { late: Int! early: Int! }')
  const { items } = (schema.getQueryType() as GraphQLObjectType).getFields()
  const { late, early } = (schema.getType('Item') as GraphQLObjectType).getFields()
  Object.assign(items ?? {}, { resolve: () => Array.from({ length }, (_, item) => item) })
  Object.assign(late ?? {}, { resolve: async (item: number) => item })
  Object.assign(early ?? {}, { resolve })
  pauseInLongLists(schema)
  return (query: string, gone = new AbortController().signal) => duringCall(gone, () => answer(schema, query))
}

describe.each(executors)('with the executor of %s', (_name, answer) => {
  test.each([2, 500])('a list of %i items is answered whole and in order', async (length) => {
    const { data } = await aService(answer, length, (item) => -item)('{ items { early late } }')
    expect(data.items).toEqual(Array.from({ length }, (_, item) => ({ early: item === 0 ? 0 : -item, late: item })))
  })

  test.each([2, 500])(
    'if some items of a list of %i throw at once and others reject later, the call fails and the process continues',
    async (length) => {
      const ask = aService(answer, length, (item) => {
        if (item % 2 === 0) return Promise.reject(new Error(`late ${item}`))
        throw new Error(`at once ${item}`)
      })
      const lost: unknown[] = []
      const note = (reason: unknown): void => void lost.push(reason)
      process.on('unhandledRejection', note)
      try {
        const { data, errors } = await ask('{ items { early } }')
        expect(data).toBeNull()
        expect(errors.length).toBeGreaterThan(0)
        await new Promise((resolve) => void setImmediate(resolve))
        expect(lost).toEqual([])
      } finally {
        process.off('unhandledRejection', note)
      }
    },
  )

  test('a list is not processed further after its caller disconnected', async () => {
    const caller = new AbortController()
    let asked = 0
    const { errors } = await aService(answer, 500, (item) => {
      asked++
      if (item === 100) caller.abort()
      return item
    })('{ items { early } }', caller.signal)
    expect(errors[0].message).toBe('the caller went away before the answer was ready')
    expect(asked).toBeLessThan(110)
  })

  test('other work runs while introspection is answered, and the answer is that of the schema', async () => {
    const types = Array.from(
      { length: 300 },
      (_, i) => `type T${i} { ${Array.from({ length: 30 }, (_field, j) => `f${j}: Int`).join(' ')} }`,
    )
    const schema = buildSchema(`type Query { a: Int } ${types.join(' ')}`)
    pauseInLongLists(schema)
    const query = getIntrospectionQuery()
    let turns = 0
    let isAnswered = false
    const turn = (): void => {
      turns++
      if (!isAnswered) setImmediate(turn)
    }
    setImmediate(turn)
    const { data } = await duringCall(new AbortController().signal, () => answer(schema, query))
    isAnswered = true
    expect(turns).toBeGreaterThan(5)
    expect(data).toEqual(graphqlSync({ schema, source: query }).data)
  })
})
