import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFragmentation, logisticPoints } from './fragmentation.ts'

describe('logisticPoints', () => {
  const logistic = (x: number) => 100 / (1 + Math.exp(-x))

  test.each([
    [-10, 0],
    [-4.6, 0],
    [-4.59, 1],
    [-0.01, 49],
    [0, 50],
    [0.01, 50],
    [0.05, 51],
    [4.59, 98],
    [4.6, 99],
    [10, 99],
    [Number.NEGATIVE_INFINITY, 0],
    [Number.POSITIVE_INFINITY, 99],
  ])('the points of %d are %i', (x, points) => {
    expect(logisticPoints(x)).toBe(points)
  })

  test('the points equal the truncated logistic function, unless its value is within 1e-9 of a whole number', () => {
    fc.assert(
      fc.property(fc.double({ min: -12, max: 12, noNaN: true }), (x) => {
        const exact = logistic(x)
        fc.pre(Math.abs(exact - Math.round(exact)) > 1e-9)
        expect(logisticPoints(x)).toBe(Math.trunc(exact))
      }),
      { numRuns: 2_000 },
    )
  })

  test('the points never decrease as x increases', () => {
    let last = 0
    for (let x = -6; x <= 6; x += 1 / 256) {
      const points = logisticPoints(x)
      expect(points).toBeGreaterThanOrEqual(last)
      last = points
    }
  })
})

test.each<[string, unknown, RegExp]>([
  [
    'a frequency above 1',
    { typical: [{ frequency: 2, cpu: 0, gpus: 1, shareMilli: 1_000 }] },
    /typical\.0\.frequency is 2; it must be 1 or less/,
  ],
  ['an unknown option', { typcal: [] }, /typcal is not a field of this version/],
  ['typical requests that are not a list', { typical: 5 }, /typical is 5; it must be a list/],
])('%s is refused with the path of the option', (_name, options, message) => {
  expect(() => createFragmentation(options)).toThrow(RangeError)
  expect(() => createFragmentation(options)).toThrow(message)
})
