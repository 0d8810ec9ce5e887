import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChecks } from '../checks.ts'
import { type Call, kinds } from './draw-document.ts'
import { send } from './send.ts'
import { createKindTally } from './tally.ts'

let answer: { readonly status?: number; readonly text: string } = { text: '{}' }
let url = ''
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
    response.end(answer.text)
  })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}/graphql` : ''
})
afterAll(() => void server.close())

const call: Call = { kind: 'mutation', document: 'mutation { x }', variables: {}, roots: ['x'], isWriting: true }
const refusals = new Set(['ValidationError', 'NotFound', 'NoValidHost'])

describe('whether a call may have decided or written something', () => {
  test.each<[string, unknown, { readonly isAccepted: boolean; readonly mayHaveActed: boolean }]>([
    ['a payload', { data: { x: { __typename: 'AggregatePayload' } } }, { isAccepted: true, mayHaveActed: true }],
    ['a refusal before a decision', { data: { x: { __typename: 'ValidationError' } } }, { isAccepted: false, mayHaveActed: false }],
    ['a request for which no host was found', { data: { x: { __typename: 'NoValidHost' } } }, { isAccepted: true, mayHaveActed: true }],
    ['a list of refusals', { data: { x: [{ __typename: 'NotFound' }] } }, { isAccepted: false, mayHaveActed: false }],
    [
      'a list with one result',
      { data: { x: [{ __typename: 'NotFound' }, { __typename: 'Claims' }] } },
      { isAccepted: true, mayHaveActed: true },
    ],
    ['reports of which none applies', { data: { x: { appliedCount: 0 } } }, { isAccepted: false, mayHaveActed: false }],
    ['reports of which one applies', { data: { x: { appliedCount: 1 } } }, { isAccepted: true, mayHaveActed: true }],
    [
      'an error of a root field',
      { data: null, errors: [{ path: ['x'], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
      { isAccepted: false, mayHaveActed: false },
    ],
    [
      'an error of a field within the answer',
      { data: null, errors: [{ path: ['x', 'hosts'], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
      { isAccepted: false, mayHaveActed: true },
    ],
    [
      'an error after the call was tried',
      { data: null, errors: [{ path: ['x'], extensions: { code: 'DEADLINE_EXCEEDED' } }] },
      { isAccepted: false, mayHaveActed: true },
    ],
  ])('%s', async (_name, body, expected) => {
    answer = { text: JSON.stringify(body) }
    expect(await send({ url }, call, undefined, refusals)).toMatchObject({ ...expected, why: undefined })
  })

  test('an error INTERNAL is a defect', async () => {
    answer = { text: '{"errors":[{"extensions":{"code":"INTERNAL","requestId":"7"}}]}' }
    expect((await send({ url }, call, undefined, refusals)).why).toContain('"requestId":"7"')
  })
})

test('a run fails for each kind of which no call got through, and prints the counts', () => {
  const tally = createKindTally()
  for (const kind of kinds)
    tally.add({ ...call, kind }, { type: 'answered', isAccepted: kind !== 'Nova report', mayHaveActed: false, why: undefined }, 500)
  tally.add({ ...call, kind: 'report' }, { type: 'refused', isAccepted: false, mayHaveActed: false, why: undefined }, 1_000)
  expect(tally.lines()).toContain('report: 2 drawn, 1 answered, 1 of these not refused, 1.5 s')
  const said: string[] = []
  tally.check(
    createChecks((line) => said.push(line)),
    1_000,
  )
  expect(said.filter((line) => line.includes('FAILED'))).toEqual([
    '  FAILED  calls of every kind get through: Nova report: 1 drawn, 1 answered, 0 of these not refused, 0.5 s',
  ])
})
