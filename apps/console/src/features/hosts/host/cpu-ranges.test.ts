import { expect, it } from 'vitest'
import { toRanges } from './cpu-ranges.ts'

it.each([
  ['none', [], ''],
  ['one', [4], '4'],
  ['neighbours', [0, 1, 2, 3], '0-3'],
  ['numbers with gaps, unordered and repeated', [9, 0, 1, 8, 5, 5], '0-1,5,8-9'],
])('CPU ids are written as ranges: %s', (_name, numbers, text) => {
  expect(toRanges(numbers)).toBe(text)
})
