import { expect, test } from 'vitest'
import { createRandom } from './random.ts'
import { atOnce, sortIndexesInSteps, sortInSteps } from './steps.ts'

test.each([0, 1, 2, 3, 511, 1_000, 4_097])('%i items are sorted as by the standard library, and equal items keep their order', (count) => {
  const random = createRandom(`sort ${count}`)
  const items = Array.from({ length: count }, (_, index) => ({ key: random.below(50), index }))
  const byKey = (a: { readonly key: number }, b: { readonly key: number }): number => a.key - b.key
  expect(atOnce(sortInSteps(items, byKey))).toEqual([...items].sort(byKey))
})

test('sorting yields again and again, and its comparisons stay within n log n', () => {
  const count = 10_000
  const random = createRandom('yields')
  const keys = Array.from({ length: count }, () => random.below(1_000_000))
  let compared = 0
  const sorting = sortIndexesInSteps(count, (a, b) => {
    compared++
    return (keys[a] as number) < (keys[b] as number)
  })
  let [yields, most, before] = [0, 0, 0]
  for (let step = sorting.next(); step.done !== true; step = sorting.next()) {
    yields++
    most = Math.max(most, compared - before)
    before = compared
  }
  expect(yields).toBeGreaterThan(60)
  expect(most).toBeLessThanOrEqual(count)
  expect(compared).toBeLessThan(count * Math.ceil(Math.log2(count)))
})
