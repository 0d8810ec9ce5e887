import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSample } from './sample.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const sampled = (perSecond: number) => {
  const told: (readonly [string | null, number])[] = []
  const sample = createSample<string>(perSecond, (item, leftOut) => told.push([item, leftOut]))
  return { told, sample, take: (...items: readonly string[]) => items.forEach(sample.take) }
}

test('the first ones of a second are told, the next one of another second with how many were left out', () => {
  const { told, take } = sampled(2)
  take('a', 'b', 'c', 'd')
  expect(told).toEqual([
    ['a', 0],
    ['b', 0],
  ])
  vi.advanceTimersByTime(999)
  expect(told).toHaveLength(2)
  vi.advanceTimersByTime(1)
  take('e')
  expect(told.slice(2).reduce((sum, [item, leftOut]) => sum + leftOut + (item === null ? 0 : 1), 0)).toBe(3)
})

test('of a burst with nothing behind it, how many were left out is told when its second is over, once', () => {
  const { told, take } = sampled(20)
  take(...Array.from({ length: 500 }, (_, i) => String(i)))
  expect(told).toHaveLength(20)
  vi.advanceTimersByTime(10_000)
  expect(told.slice(20)).toEqual([[null, 480]])
})

test('what ended tells nothing more', () => {
  const { told, sample, take } = sampled(1)
  take('a', 'b')
  sample.end()
  vi.advanceTimersByTime(10_000)
  expect(told).toEqual([['a', 0]])
})
