import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChangedNumber, NumberRange } from '../remedies/remedy.ts'
import { hasMoreRanges, rangesOf } from './numbers.ts'

const numberAmong = (among: readonly NumberRange[]): ChangedNumber => ({
  from: 600,
  to: 500,
  among,
  at: () => {
    throw new Error('`at` must not be called in this test')
  },
})

const MAX_NUMBER = 600
const numbersOf = ({ step, least }: NumberRange): readonly number[] =>
  Array.from({ length: MAX_NUMBER + 1 }, (_, i) => i).filter((one) => one >= least && one % step === 0)

test('for each set of unit rules, the numbers that all of these rules allow form one of the searched ranges', () => {
  const range = fc
    .record({ step: fc.constantFrom(1, 2, 3, 4, 5, 8, 10), times: fc.integer({ min: 1, max: 6 }) })
    .map(({ step, times }) => ({ step, least: step * times }))
  const kinds = fc.array(range, { minLength: 1, maxLength: 7 })
  const some = kinds.chain((among) => fc.tuple(fc.constant(among), fc.subarray(among, { minLength: 1 })))
  fc.assert(
    fc.property(some, ([among, chosen]) => {
      const number = numberAmong(among)
      fc.pre(!hasMoreRanges(number))
      const inAll = numbersOf({ step: 1, least: 0 }).filter((one) => chosen.every(({ step, least }) => one >= least && one % step === 0))
      expect(rangesOf(number).map((one) => numbersOf(one).join(' '))).toContain(inAll.join(' '))
    }),
    { numRuns: 200 },
  )
})

test('if the unit rules of hosts have more than 64 intersections, the result says that not all were searched', () => {
  const primes = [2, 3, 5, 7, 11, 13, 17, 19]
  const number = numberAmong(primes.map((step) => ({ step, least: step })))
  expect([rangesOf(number).length, hasMoreRanges(number)]).toEqual([64, true])
  const few = numberAmong(primes.slice(0, 6).map((step) => ({ step, least: step })))
  expect([rangesOf(few).length, hasMoreRanges(few)]).toEqual([63, false])
})
