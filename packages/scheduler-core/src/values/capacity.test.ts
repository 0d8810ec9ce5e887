import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../request/limits.ts'
import { capacityOf, toRatioMilli } from './capacity.ts'

test.each<[string, number, number, number, number]>([
  ['a ratio of 1 gives the total without the reserved amount', 100, 10, 1_000, 90],
  ['a fraction is cut off, not rounded', 3, 0, 1_500, 4],
  ['a ratio of a thousandth of 999 gives 0', 999, 0, 1, 0],
  ['a ratio of a thousandth of 1000 gives 1', 1_000, 0, 1, 1],
  ['the last thousandth of a ratio counts', 64_000, 0, 1_501, 96_064],
  ['a reserved amount above the total gives 0', 5, 6, 16_000, 0],
  ['the largest total with the largest ratio is exact', 2 ** 40, 0, 1_000_000, 2 ** 40 * 1_000],
  ['one less than the largest total is exact', 2 ** 40 - 1, 0, 999_999, 1_099_510_528_263_372],
])('%s', (_name, total, reserved, ratioMilli, expected) => {
  expect(capacityOf(total, reserved, ratioMilli)).toBe(expected)
})

test.each<[number, number]>([
  [1, 1_000],
  [16, 16_000],
  [1.5, 1_500],
  [0.001, 1],
  [1.1, 1_100],
  [2.675, 2_675],
  [1_000, 1_000_000],
])('a ratio of %d is %i thousandths', (ratio, milli) => {
  expect(toRatioMilli(ratio)).toBe(milli)
})

test('capacityOf gives the same result as BigInt arithmetic for every allowed total, reserved amount and ratio', () => {
  fc.assert(
    fc.property(
      fc.maxSafeNat().map((n) => n % (limits.amount + 1)),
      fc.nat({ max: 2 ** 30 }),
      fc.integer({ min: 1, max: limits.ratio * 1_000 }),
      (total, reserved, ratioMilli) => {
        const rest = total > reserved ? BigInt(total - reserved) : 0n
        expect(BigInt(capacityOf(total, reserved, ratioMilli))).toBe((rest * BigInt(ratioMilli)) / 1_000n)
      },
    ),
    { numRuns: 2_000 },
  )
})
