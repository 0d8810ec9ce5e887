import { expect, test } from 'vitest'
import {
  formatAmount,
  formatCount,
  formatDuration,
  formatFixed,
  formatMib,
  formatNumber,
  formatPercent,
  formatShare,
  formatSigned,
  readDuration,
} from './format.ts'

test.each([
  [0, '0 MiB'],
  [1_023, '1,023 MiB'],
  [1_024, '1 GiB'],
  [1_536, '1.5 GiB'],
  [250_880, '245 GiB'],
  [1_048_576, '1 TiB'],
  [-2_048, '−2 GiB'],
])('%d MiB is shown as %s', (mib, text) => expect(formatMib(mib)).toBe(text))

test.each([
  ['MEMORY_MB', 2_048, '2 GiB'],
  ['DISK_GB', 2_048, '2 TiB'],
  ['VCPU', 12_345, '12,345'],
])('the amount of %s %d is shown as %s', (resourceClass, amount, text) => expect(formatAmount(resourceClass, amount)).toBe(text))

test.each([
  [4.4, '4 ms'],
  [999, '999 ms'],
  [1_200, '1.2 s'],
  [300_000, '5 min'],
  [10_800_000, '3 h'],
  [172_800_000, '2 d'],
])('%d ms is shown as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

test.each([
  ['PT3.2S', 3_200],
  ['PT0S', 0],
  ['PT2H5M', 7_500_000],
  ['P1DT1S', 86_401_000],
  ['soon', 0],
])('the duration %s is read as %d ms', (text, ms) => expect(readDuration(text)).toBe(ms))

test('counts have separators, percents no decimals', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect(formatPercent(33.4)).toBe('33 %')
})

test.each([
  [formatCount(-1_234), '−1,234'],
  [formatSigned(1_234), '+1,234'],
  [formatSigned(-1_234), '−1,234'],
  [formatSigned(-0), '0'],
  [formatSigned(-0.001), '0'],
  [formatSigned(-2_048, formatMib), '−2 GiB'],
  [formatNumber(-0.000_123_456, 3), '−0.000123'],
  [formatNumber(0.1 + 0.2), '0.3'],
  [formatNumber(262_144), '262,144'],
  [formatFixed(-0.25, 4), '−0.2500'],
  [formatShare(0.9917), '99.2 %'],
])('a sign is a true minus, and precedes any value that is not zero: %s', (text, expected) => expect(text).toBe(expected))
