import { expect, test } from 'vitest'
import { deltaText, leftOutText } from './replay-text.ts'

test.each([
  [8, 8, '0'],
  [0, 0, '0'],
  [8, 6, '−2 (−25 %)'],
  [8, 12, '+4 (+50 %)'],
  [0, 3, '+3'],
  [3, 0, '−3 (−100 %)'],
])('the difference between %i and %i is shown as %s', (before, after, text) => expect(deltaText(before, after)).toBe(text))

test('omitted requests are listed by reason, and without omissions the text is empty', () => {
  expect(leftOutText({ outOfTime: 0, notReplayable: 0, unreadable: 0 })).toBe('')
  expect(leftOutText({ outOfTime: 2, notReplayable: 0, unreadable: 1 })).toBe(
    'Of the other requests, 2 were not replayed in time, 1 cannot be read.',
  )
})
