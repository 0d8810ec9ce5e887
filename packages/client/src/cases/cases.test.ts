import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { CallRecord, Expectation, Played } from '../../../../clients/cases/server.d.mts'
import { playCase, readTable } from '../../../../clients/cases/server.mjs'
import { checkRecords, runCase } from './run-case.suite.ts'

// The table of clients/cases, which every client library of this repository must pass.

const table = readTable()

describe.concurrent('each case has the outcome that is the same for all clients', () => {
  test.each(table.cases.map((one) => [one.name, one] as const))('%s', async (name, one) => {
    await playing(name, (played) => runCase(table, one, played))
  })
})

test('the command of clients/cases/README.md plays a case until its standard input ends', async () => {
  const [one] = table.cases
  if (one === undefined) throw new Error('the table has no case')
  const server = fileURLToPath(new URL('../../../../clients/cases/server.mjs', import.meta.url))
  const child = spawn(process.execPath, [server, one.name], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  try {
    const [line] = await once(createInterface(child.stdout), 'line')
    await runCase(table, one, JSON.parse(line))
  } finally {
    child.stdin.end()
  }
  expect(await ended).toEqual([0, null])
})

/** The error of an expectation that is not met. */
const FAILED = expect.objectContaining({ name: 'AssertionError' })

/** For each field of an expectation: a value other than the right one. */
const WRONG: { readonly [Field in keyof Expectation]-?: (right: NonNullable<Expectation[Field]>) => Expectation[Field] } = {
  answer: () => 'OtherAnswer',
  error: (right) => (right === 'FAULT' ? 'PROTOCOL' : 'FAULT'),
  claim: () => 'c-other',
  replayed: (right) => !right,
  code: () => 'OTHER',
  status: (right) => right + 1,
  idempotencyKey: () => 'other',
  cause: () => ({ error: 'FAULT', code: 'OTHER' }),
  order: (right) => [...right, 0],
  receivedBy: (right) => [...right, 2],
  atLeast: (right) => right.map((times) => times + 1_000),
  total: (right) => right + 1,
  authorization: (right) => right.map(() => 'key-other'),
  sequences: (right) => right.map((sequence) => sequence + 1),
  pauses: () => [{ atLeastMs: 1e9 }],
  closedByClient: (right) => right.map(([endpoint]) => [1 - endpoint, 1]),
}

test.each(Object.keys(WRONG) as (keyof Expectation)[])('a case whose outcome differs in %s fails', async (field) => {
  const one = table.cases.find(({ calls }) => calls.some((call) => call.expect[field] !== undefined))
  if (one === undefined) throw new Error(`no case of the table has the field ${field}`)
  const wrongly = WRONG[field] as (right: unknown) => unknown
  const calls = one.calls.map((call) => {
    const right = call.expect[field]
    return right === undefined ? call : { ...call, expect: { ...call.expect, [field]: wrongly(right) } }
  })
  await expect(playing(one.name, (played) => runCase(table, { ...one, calls }, played))).rejects.toThrow(FAILED)
})

test('a pause that is longer than the case allows fails it', async () => {
  const one = table.cases.find(({ calls: [call] }) => call?.expect.pauses?.[0]?.lessThanMs !== undefined)
  const [call] = one?.calls ?? []
  if (one === undefined || call === undefined) throw new Error('no case of the table limits a pause')
  const calls = [{ ...call, expect: { ...call.expect, pauses: [{ lessThanMs: 1 }] } }]
  await expect(playing(one.name, (played) => runCase(table, { ...one, calls }, played))).rejects.toThrow(FAILED)
})

test.each<readonly [string, Partial<CallRecord>, Partial<CallRecord>]>([
  ['a call that the case does not expect', {}, { isExpected: false }],
  ['two idempotency keys in one call', { idempotencyKey: 'k-1' }, { idempotencyKey: 'k-2' }],
  ['the key of an earlier call', { idempotencyKey: 'drawn before' }, { idempotencyKey: 'drawn before' }],
])('%s fails the case', (_what, ...records) => {
  const received = records.map((record) => ({ ...RECEIVED, idempotencyKey: 'k-1', ...record }))
  expect(() => checkRecords({ operation: 'select', expect: {} }, received, new Set(['drawn before']))).toThrow(FAILED)
})

test.each<readonly [string, CallRecord['reporter'], CallRecord['reporter']]>([
  ['two incarnations', { incarnation: 'i-1', sequence: 1 }, { incarnation: 'i-2', sequence: 1 }],
  ['two sequences', { incarnation: 'i-1', sequence: 1 }, { incarnation: 'i-1', sequence: 2 }],
])('a report that is repeated with %s fails the case', (_what, ...reporters) => {
  const received = reporters.map((reporter) => ({ ...RECEIVED, ...(reporter && { reporter }) }))
  expect(() => checkRecords({ operation: 'report', expect: {} }, received, new Set())).toThrow(FAILED)
})

test('an error that shows the API key fails the case', async () => {
  const showing: typeof fetch = () => Promise.reject(new Error('no connection'))
  const calls = [{ operation: 'report', expect: { error: 'UNREACHABLE' } }] as const
  const one = { name: 'shown', endpoints: [], client: { keys: ['no connection'], deadlineMs: 1 }, calls }
  const hidden = playing('an answer at once', (played) => runCase(table, one, played, showing))
  await expect(hidden, 'the client hides its own key').resolves.toBeUndefined()
  const other = { ...one, client: { keys: ['key-1', 'no connection'], deadlineMs: 1 } }
  await expect(playing('an answer at once', (played) => runCase(table, other, played, showing))).rejects.toThrow(
    'no error shows an API key',
  )
})

/** The cases that are about a pause which an answer states. */
const PAUSED = table.cases.filter(({ calls }) => calls.some(({ expect: { pauses = [] } }) => pauses.some((pause) => pause.atLeastMs)))

test.each(PAUSED.map((one) => [one.name, one] as const))('a client that ignores stated pauses fails: %s', async (name, one) => {
  const ignoring: typeof fetch = async (...call) => {
    const { status, headers, ...response } = await fetch(...call).then(async (given) => ({
      status: given.status,
      headers: new Headers(given.headers),
      text: (await given.text()).replace(/"retryAfterMs":\d+/, '"retryAfterMs":0'),
    }))
    headers.delete('retry-after')
    return new Response(response.text, { status, headers })
  }
  await expect(playing(name, (played) => runCase(table, one, played, ignoring))).rejects.toThrow(FAILED)
})

/** The cases in which a call is sent twice. */
const HEDGED = table.cases.filter(({ calls }) => calls.some((call) => call.expect.receivedBy !== undefined))

// On a busy machine, either copy can be on its way for longer than the other one.
test.each(HEDGED.flatMap((one) => [0, 1].map((slow) => [one.name, slow, one] as const)))(
  'whichever copy arrives first: %s (endpoint %i is slow to receive)',
  async (name, slow, one) => {
    await playing(name, async (played) => {
      const url = played.urls[slow]
      let calls = 0
      const delaying: typeof fetch = async (to, options) => {
        // Before, the client measures how long calls usually take.
        if (++calls > 20 && String(to) === url) await setTimeout(100, undefined, { signal: options?.signal ?? undefined })
        return await fetch(to, options)
      }
      await runCase(table, one, played, delaying)
    })
  },
)

/** A record of a call, without what a test is about. */
const RECEIVED: CallRecord = {
  ...{ endpoint: 0, call: 1, operation: 'SelectDestinations', isExpected: true, isAnswered: true, closedByClient: false },
  receivedAtMs: 0,
}

/** Plays a case of the table while `work` runs. */
async function playing<Result>(name: string, work: (played: Played) => Promise<Result>): Promise<Result> {
  const played = await playCase(table, name)
  try {
    return await work(played)
  } finally {
    await played.close()
  }
}
