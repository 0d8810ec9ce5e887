import { expect, test } from 'vitest'
import { age, decimal, gibPair, mib, mibPair, ranges } from './format.ts'

const NOW = Date.parse('2026-01-01T12:00:00Z')

test.each([
  ['less than a GiB stays in MiB', mib(512), '512 MiB'],
  ['a round amount has no decimals', mib(65_536), '64 GiB'],
  ['an amount has three digits', mib(60_000), '58.6 GiB'],
  ['a pair has the unit of its total', mibPair(512, 65_536), '0.5/64 GiB'],
  ['a negative amount is shown', mibPair(-2_048, 65_536), '-2/64 GiB'],
  ['0 of 0', mibPair(0, 0), '0/0 MiB'],
  ['disks grow into TiB', gibPair(900, 7_168), '0.88/7 TiB'],
  ['seconds', age('2026-01-01T11:59:56Z', NOW), '4 s'],
  ['minutes, also of a time in the future', age('2026-01-01T12:10:00Z', NOW), '10 min'],
  ['days', age('2025-12-25T12:00:00Z', NOW), '7 d'],
  ['no report', age(null, NOW), 'never'],
  ['a decimal has no digits that only floating point has', decimal(0.1 + 0.2), '0.3'],
  ['numbers in ranges', ranges([0, 1, 2, 5, 7, 8]), '0-2,5,7-8'],
  ['no numbers', ranges([]), '-'],
])('%s', (_name, shown, wanted) => {
  expect(shown).toBe(wanted)
})
