import { expect, test } from 'vitest'
import { reservation } from '../safety-under-faults/callers/extra-load.ts'
import type { Operation, Outcome } from '../safety-under-faults/history.ts'
import { callsOf } from './keyed-calls.ts'

const ok: Outcome = { type: 'ok', answer: { type: 'refused' } }
const info: Outcome = { type: 'info', why: 'the connection ended' }
const fail: Outcome = { type: 'fail', why: 'nobody listens' }

const asked = (key: string, outcome: Outcome, type: 'place' | 'abandon' = 'place'): Operation => ({
  client: 0,
  replica: 0,
  invokedAt: 0,
  endedAt: 1,
  call: type === 'place' ? reservation(key) : { type, key },
  outcome,
})

test.each<[string, readonly Operation[], ReturnType<typeof callsOf>]>([
  ['a call that was answered is counted once', [asked('a', ok)], { keys: 1, again: 0, unanswered: 0 }],
  ['a call that succeeded at the second attempt was repeated', [asked('a', info), asked('a', ok)], { keys: 1, again: 1, unanswered: 0 }],
  [
    'a call that is repeated although it was answered does not count as repeated',
    [asked('a', ok), asked('a', ok)],
    { keys: 1, again: 0, unanswered: 0 },
  ],
  ['the outcome of an abandoned key is known', [asked('a', info), asked('a', ok, 'abandon')], { keys: 1, again: 1, unanswered: 0 }],
  ['the outcome of a call that certainly had no effect is known', [asked('a', fail)], { keys: 1, again: 0, unanswered: 0 }],
  [
    'the outcome of a call without any answer is unknown',
    [asked('a', info), asked('a', fail), asked('b', ok)],
    { keys: 2, again: 1, unanswered: 1 },
  ],
  ['calls without a key do not count', [{ ...asked('a', info), call: { type: 'read' } }], { keys: 0, again: 0, unanswered: 0 }],
])('%s', (_name, history, calls) => expect(callsOf(history)).toEqual(calls))
