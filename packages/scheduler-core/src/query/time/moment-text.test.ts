import { expect, test } from 'vitest'
import { readMoment } from './moment-text.ts'

const now = Date.UTC(2026, 10, 22, 11, 30, 0)
const utc = (text: string) => readMoment(text, now, 'utc')
const problem = (of: string) => ({ problem: expect.stringContaining(of) })

test.each([
  ['a revision', ' 88123 ', '88123'],
  ['a revision as the pages of the console write it', 'revision 88,123', '88123'],
  ['minutes ago', '-15m', '2026-11-22T11:15:00.000Z'],
  ['an hour and a half ago', '- 1.5 h', '2026-11-22T10:00:00.000Z'],
  ['days ago', '-2d', '2026-11-20T11:30:00.000Z'],
  ['a time of today', '9:14', '2026-11-22T09:14:00.000Z'],
  ['a time later than now, as a time of yesterday', '23:05:10', '2026-11-21T23:05:10.000Z'],
  ['a date, as its first moment', '2026-11-20', '2026-11-20T00:00:00.000Z'],
  ['a date with its time', '2026-11-20 09:14', '2026-11-20T09:14:00.000Z'],
  ['a time as the API writes it', '2026-11-20T10:14:02.5+01:00', '2026-11-20T09:14:02.500Z'],
])('readMoment reads %s: %j gives %s', (_what, text, at) => expect(utc(text)).toEqual({ at }))

test('a time is read in the given time zone, unless it ends with UTC', () => {
  const local = new Date(2026, 10, 20, 9, 14).toISOString()
  expect(readMoment('2026-11-20 09:14', now, 'local')).toEqual({ at: local })
  expect(readMoment('2026-11-20 09:14 UTC', now, 'local')).toEqual({ at: '2026-11-20T09:14:00.000Z' })
  expect(readMoment('09:14Z', now, 'local')).toEqual({ at: '2026-11-22T09:14:00.000Z' })
})

test.each(['', 'yesterday', '15m', '-15', '2026-02-30', '2026-11-20 24:00', '9:60', '1e5', '-1y', '2026-11-20T09:14:02+99'])(
  '%j is not a moment, and the message has the valid forms',
  (text) => expect(utc(text)).toEqual(problem('88123')),
)

test('a moment in the future is refused with a message that says so', () => {
  expect(utc('2026-11-22 11:31')).toEqual(problem('in the future'))
  expect(utc('2999-01-01')).toEqual(problem('in the future'))
})
