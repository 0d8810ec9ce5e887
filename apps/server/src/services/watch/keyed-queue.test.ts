import fc from 'fast-check'
import { expect, test } from 'vitest'
import { KeyedQueue } from './keyed-queue.ts'

test('values are taken in the order of their last additions, however they are added and taken', () => {
  const step = fc.oneof(fc.nat({ max: 4 }), fc.constant('take' as const), fc.constant('clear' as const))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new KeyedQueue<number, number>()
      let expected: [number, number][] = []
      for (const [i, step] of steps.entries()) {
        if (step === 'take') expect(queue.take()).toEqual(expected.shift())
        else if (step === 'clear') {
          queue.clear()
          expected = []
        } else {
          queue.put(step, i)
          expected = [...expected.filter(([key]) => key !== step), [step, i]]
        }
        expect(queue.size).toBe(expected.length)
        for (const [key, value] of expected) expect(queue.get(key)).toBe(value)
      }
    }),
  )
})
