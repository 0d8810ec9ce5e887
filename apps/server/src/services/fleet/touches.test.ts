import { createRandom } from '@gantt/scheduler-core'
import { expect, test } from 'vitest'
import { Touches } from './touches.ts'

test('the hosts of a touch and of all later ones are found, the last touched first', () => {
  const touches = new Touches()
  const first = touches.touch([3, 1, 2])
  const second = touches.touch([1])
  const third = touches.touch([5_000, 3])
  expect(touches.since(first)).toEqual([3, 5_000, 1, 2])
  expect(touches.since(second)).toEqual([3, 5_000, 1])
  expect(touches.since(third)).toEqual([3, 5_000])
  expect(touches.since(third + 1)).toEqual([])
})

test('random touches give the same hosts as a list of the touches', () => {
  const random = createRandom('touches')
  const touches = new Touches()
  const last = new Map<number, number>()
  for (let round = 0; round < 500; round++) {
    const ordinals = Array.from({ length: random.below(8) }, () => random.below(round < 100 ? 10 : 3_000))
    const touch = touches.touch(ordinals)
    for (const ordinal of ordinals) last.set(ordinal, touch)
    const since = 1 + random.below(touch)
    const expected = [...last].filter(([, at]) => at >= since).map(([ordinal]) => ordinal)
    expect(touches.since(since).sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
  }
})
