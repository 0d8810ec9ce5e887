import { expect, test } from 'vitest'
import { type Health, statusOf } from './status-of.ts'

const health = (given: Partial<Health> = {}): Health => ({
  mode: 'NORMAL',
  reason: null,
  replica: 'r1',
  stateAge: 'PT4S',
  violations: 0,
  checkedAge: 'PT3S',
  cleanSince: '2026-11-25T10:12:01.000Z',
  cleanLooks: 1_204,
  ...given,
})

test.each([
  ['there is no problem', health(), { label: '0 violations', age: 'checked 3 s ago', colour: 'green' }],
  [
    'there was no violation for some time, and the text has this time and the number of checks',
    health(),
    {
      text: expect.stringMatching(/^The auditor of replica r1 found no violations since .*10:12:01 UTC, in 1,204 checks \(checked/),
    },
  ],
  [
    'the first check is not complete yet',
    health({ checkedAge: null, cleanSince: null, cleanLooks: 0 }),
    { label: 'not checked yet', colour: 'gray', text: expect.stringContaining('has not completed its first full check') },
  ],
  ['the last check is a day old', health({ checkedAge: 'P1D' }), { label: '0 violations', colour: 'green' }],
  [
    'the last check is more than a day old',
    health({ checkedAge: 'P1DT1H' }),
    { label: 'check too old', age: 'checked 1 d ago', colour: 'gray', text: expect.stringContaining('more than a day old') },
  ],
  [
    'there is a violation before the first check is complete',
    health({ violations: 2, checkedAge: null }),
    { label: '2 violations', colour: 'red', text: expect.stringContaining('(not checked yet)') },
  ],
  ['there is one violation', health({ violations: 1 }), { label: '1 violation', colour: 'red', text: expect.stringContaining('r1') }],
  ['there are many violations', health({ violations: 12 }), { label: '12 violations', colour: 'red' }],
  [
    'the store is unavailable, which is shown before violations',
    health({ mode: 'STORE_AWAY', reason: 'The store does not answer.', violations: 3 }),
    { label: 'store unavailable', colour: 'red', text: 'The store does not answer. The state of replica r1 is 4 s old.' },
  ],
  ['the service accepts no writes', health({ mode: 'READ_ONLY' }), { label: 'read only', colour: 'red' }],
  ['the service does not answer', undefined, { label: 'no answer', colour: 'red' }],
])('the status line if %s', (_what, given, shown) => expect(statusOf(given)).toMatchObject(shown))

test.each([
  ['the service does not answer, after any other status', health()],
  ['the service does not answer, after a violation', health({ violations: 3 })],
  ['the service does not answer, before any status', undefined],
])('missing news takes precedence: %s', (_what, given) => {
  const shown = statusOf(given, 12)
  expect(shown).toMatchObject({ label: 'No updates', since: 'for 12 s', colour: 'red' })
  expect(shown.age).toBeUndefined()
})
