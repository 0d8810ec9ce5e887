import { expect, test } from 'vitest'
import { millisecondsOf, toDuration } from './duration.ts'

test.each([
  ['PT2M', 120_000],
  ['PT0.5S', 500],
  ['P1DT12H', 129_600_000],
  ['PT1H2M3S', 3_723_000],
  ['P0D', 0],
])('%s is %d ms', (text, ms) => {
  expect(millisecondsOf(text)).toBe(ms)
  expect(millisecondsOf(toDuration(ms))).toBe(ms)
})

test.each(['', 'P', 'PT', '2M', 'PT2', 'P1M', 'PT-1S'])('%j is refused, because it is not a duration', (text) => {
  expect(() => millisecondsOf(text)).toThrow(/must be like PT2M/)
})
