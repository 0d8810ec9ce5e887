import { expect, test } from 'vitest'
import { age, decimal, gibPair, mib, mibPair, ranges } from './format.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')

test.each([
  ['less than a GiB stays in MiB', mib(512), '512 MiB'],
  ['a round amount has no decimals', mib(65_536), '64 GiB'],
  ['an amount has three significant digits', mib(60_000), '58.6 GiB'],
  ['a pair has the unit of its total', mibPair(512, 65_536), '0.5/64 GiB'],
  ['a negative amount is shown', mibPair(-2_048, 65_536), '-2/64 GiB'],
  ['0 of 0 is in MiB', mibPair(0, 0), '0/0 MiB'],
  ['a large disk is in TiB', gibPair(900, 7_168), '0.88/7 TiB'],
  ['a short age is in seconds', age('2026-01-01T11:59:56Z', NOW), '4 s'],
  ['a time in the future is shown like an age', age('2026-01-01T12:10:00Z', NOW), '10 min'],
  ['a long age is in days', age('2025-12-25T12:00:00Z', NOW), '7 d'],
  ['the age of a report that never came is never', age(null, NOW), 'never'],
  ['a decimal has no digits that only come from floating-point arithmetic', decimal(0.1 + 0.2), '0.3'],
  ['consecutive numbers are shown as a range', ranges([0, 1, 2, 5, 7, 8]), '0-2,5,7-8'],
  ['an empty list of numbers is shown as a hyphen', ranges([]), '-'],
])('%s', (_name, shown, wanted) => {
  expect(shown).toBe(wanted)
})
