import { Readable } from 'node:stream'
import { buildSchema, type GraphQLError, parse } from 'graphql'
import { expect, test } from 'vitest'
import { createDocumentTexts } from '../document-cache.ts'
import { useTypedErrors } from '../yoga.ts'
import { createBodies } from './bodies.ts'
import { readParams } from './body.ts'

const schema = buildSchema('input Report { vcpus: Int, memoryMb: Int } type Query { report(of: [Report!]): Int }')
const query = 'query ($of: [Report!]) { report(of: $of) }'

/** The errors that end the call before the executor reads its variables; undefined if the executor checks them. */
async function endedBy(report: object): Promise<readonly GraphQLError[] | undefined> {
  const body = Readable.from([Buffer.from(JSON.stringify({ query, variables: { of: [report] } }))])
  const request = Object.assign(body, { headers: { 'content-type': 'application/json' } })
  const params = await readParams(request, new Map(), createDocumentTexts(), createBodies().begin('key'))
  if ('operations' in params) throw new Error('expected one call, found a list')
  const { variables } = params
  let ended: readonly GraphQLError[] | undefined
  const setResultAndStopExecution = ({ errors }: { errors: readonly GraphQLError[] }): void => {
    ended = errors
  }
  const args = { document: parse(query), variableValues: variables }
  useTypedErrors(schema).onExecute?.({ args, setResultAndStopExecution } as never)
  return ended
}

const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]))

test('an object with very many wrong keys is refused before the executor, which would print the whole object for each error, reads it', async () => {
  const ended = await endedBy({ vcpus: 1, ...keys(90_000) })
  expect(ended).toHaveLength(50)
  expect(ended?.[49]?.message).toContain('of.0.k49 is 0; there is no such field; there are vcpus, memoryMb')
})

test('an object with fewer keys is read once, by the executor', async () => {
  expect(await endedBy({ vcpus: 1, ...keys(100) })).toBeUndefined()
})
