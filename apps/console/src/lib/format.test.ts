import { expect, test } from 'vitest'
import { formatAmount, formatCount, formatDuration, formatMib, formatPercent, readDuration } from './format.ts'

test.each([
  [0, '0 MiB'],
  [1_023, '1,023 MiB'],
  [1_024, '1 GiB'],
  [1_536, '1.5 GiB'],
  [250_880, '245 GiB'],
  [1_048_576, '1 TiB'],
  [-2_048, '-2 GiB'],
])('%d MiB reads %s', (mib, text) => expect(formatMib(mib)).toBe(text))

test.each([
  ['MEMORY_MB', 2_048, '2 GiB'],
  ['DISK_GB', 2_048, '2 TiB'],
  ['VCPU', 12_345, '12,345'],
])('%s %d reads %s', (resourceClass, amount, text) => expect(formatAmount(resourceClass, amount)).toBe(text))

test.each([
  [4.4, '4 ms'],
  [999, '999 ms'],
  [1_200, '1.2 s'],
  [300_000, '5 min'],
  [10_800_000, '3 h'],
  [172_800_000, '2 d'],
])('%d ms read %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

test.each([
  ['PT3.2S', 3_200],
  ['PT0S', 0],
  ['PT2H5M', 7_500_000],
  ['P1DT1S', 86_401_000],
  ['soon', 0],
])('%s is %d ms', (text, ms) => expect(readDuration(text)).toBe(ms))

test('counts have separators, percents no decimals', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect(formatPercent(33.4)).toBe('33 %')
})
