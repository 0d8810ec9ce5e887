import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Matrix } from '../../../lib/explanation.ts'
import { isWithin, keyOf, printRange, readRange, shortfallOf, shortfallsOf } from './shortfalls.ts'

const amount = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 4_000_000 }), fc.constantFrom(0.25, 1.5, 1_024))
const amounts = fc.array(amount, { minLength: 1, maxLength: 200 })
const unit = fc.constantFrom('MiB', 'CPUs')

test('every host is in one bin, and each bin selects exactly its hosts', () => {
  fc.assert(
    fc.property(amounts, unit, (all, name) => {
      const { bins, hosts, smallest, largest } = shortfallOf(all, name)
      expect([hosts, smallest, largest]).toEqual([all.length, Math.min(...all), Math.max(...all)])
      expect(bins.length).toBeLessThanOrEqual(12)
      expect(bins.reduce((sum, bin) => sum + bin.hosts, 0)).toBe(all.length)
      for (const [i, bin] of bins.entries()) {
        const range = readRange(printRange(bin))
        expect(all.filter((one) => isWithin(one, range))).toHaveLength(bin.hosts)
        if (i > 0) expect(bin.from).toBe(bins[i - 1]?.to)
      }
      // the first and the last bin are not empty
      expect(isWithin(smallest, bins[0] ?? { from: 0, to: 0 })).toBe(true)
      expect(isWithin(largest, bins.at(-1) ?? { from: 0, to: 0 })).toBe(true)
    }),
  )
})

describe('the width of bins', () => {
  test.each([
    ['one amount has one bin', [11_264], 'MiB', ['11264-11265']],
    ['equal amounts have one bin', [3, 3, 3], 'CPUs', ['3-4']],
    ['the width is 1 for a few whole numbers', [1, 2, 5], 'CPUs', ['1-2', '2-3', '3-4', '4-5', '5-6']],
    [
      'the width is a power of two for memory',
      [1_000, 9_000],
      'MiB',
      ['0-1024', '1024-2048', '2048-3072', '3072-4096', '4096-5120', '5120-6144', '6144-7168', '7168-8192', '8192-9216'],
    ],
    [
      'the width is a round number for other units',
      [10, 95],
      'CPUs',
      ['10-20', '20-30', '30-40', '40-50', '50-60', '60-70', '70-80', '80-90', '90-100'],
    ],
  ])('%s', (_name, all, name, ranges) => expect(shortfallOf(all, name).bins.map(printRange)).toEqual(ranges))
})

test('amounts are grouped by filter and reason if all have the same unit', () => {
  const matrix: Matrix = {
    hostCount: 6,
    filters: ['RAM', 'Zone'],
    codes: ['memory.short', 'zone.other', 'mixed'],
    units: ['MiB', null, null],
    firstFailing: [0, 0, 1, 255, 0, 0],
    reason: [0, 0, 1, 255, 2, 0],
    missing: [512, 2_048, 0, 0, 7, 512],
    rank: [],
    distance: [],
    nameOf: String,
    refuses: () => false,
  }
  const all = shortfallsOf(matrix)
  expect([...all.keys()]).toEqual([keyOf('RAM', 'memory.short')])
  expect(all.get(keyOf('RAM', 'memory.short'))).toMatchObject({ unit: 'MiB', hosts: 3, smallest: 512, largest: 2_048 })
})
