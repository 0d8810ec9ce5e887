import { expect, test } from 'vitest'
import { endOf, isInUse, readDays } from './key.ts'

test.each([
  ['', { days: null }],
  [' 90 ', { days: 90 }],
  ['3650', { days: 3_650 }],
])('the text %j is read as days', (text, read) => {
  expect(readDays(text)).toEqual(read)
})

test.each(['0', '-1', '1.5', '3651', 'soon', '1e9'])('%j is not a valid number of days', (text) => {
  expect(readDays(text)).toHaveProperty('wrong')
})

const now = Date.parse('2026-11-20T09:00:00.000Z')

test('a new key expires after the given number of days, or never', () => {
  expect([endOf(2, now), endOf(null, now)]).toEqual(['2026-11-22T09:00:00.000Z', null])
})

test.each([
  [null, false],
  ['2026-11-20T08:59:59.000Z', true],
  ['2026-11-19T09:00:00.000Z', false],
])('whether a key that was last used at %s is in use: %s', (lastUsedAt, inUse) => {
  expect(isInUse({ lastUsedAt }, now)).toBe(inUse)
})
