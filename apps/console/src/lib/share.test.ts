import { expect, test } from 'vitest'
import { shareText } from './share.ts'

test.each([
  [0, 0, '-'],
  [0, 100, '0 %'],
  [1, 100_000, '< 0.1 %'],
  [8, 1_000, '0.8 %'],
  [1, 3, '33 %'],
  [99_999, 100_000, '> 99.9 %'],
  [2, 2, '100 %'],
])('the share of %i in %i is shown as %s', (some, all, text) => {
  expect(shareText(some, all)).toBe(text)
})
