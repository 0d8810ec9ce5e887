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
  ['all is well', health(), { label: '0 violations', age: 'checked 3 s ago', colour: 'green' }],
  [
    'since when that is so, and how many looks it took',
    health(),
    {
      text: expect.stringMatching(/^The auditor of replica r1 found no violations since .*10:12:01 UTC, in 1,204 checks \(checked/),
    },
  ],
  [
    'it has not looked at everything yet',
    health({ checkedAge: null, cleanSince: null, cleanLooks: 0 }),
    { label: '0 violations', age: 'not checked yet' },
  ],
  ['something cannot be', health({ violations: 1 }), { label: '1 violation', colour: 'red', text: expect.stringContaining('r1') }],
  ['much cannot be', health({ violations: 12 }), { label: '12 violations', colour: 'red' }],
  [
    'the store is away: that comes first',
    health({ mode: 'STORE_AWAY', reason: 'The store does not answer.', violations: 3 }),
    { label: 'store unavailable', colour: 'red', text: 'The store does not answer. The state of replica r1 is 4 s old.' },
  ],
  ['it takes no writes', health({ mode: 'READ_ONLY' }), { label: 'read only', colour: 'red' }],
  ['it does not answer', undefined, { label: 'no answer', colour: 'red' }],
])('%s', (_what, given, shown) => expect(statusOf(given)).toMatchObject(shown))

test.each([
  ['whatever it said before', health()],
  ['also where it found trouble', health({ violations: 3 })],
  ['also where it said nothing yet', undefined],
])('no news comes before all else: %s', (_what, given) => {
  const shown = statusOf(given, 12)
  expect(shown).toMatchObject({ label: 'No updates', since: 'for 12 s', colour: 'red' })
  expect(shown.age).toBeUndefined()
})
