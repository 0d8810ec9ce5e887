import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSample } from './sample.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const sampled = (perSecond: number) => {
  const notified: (readonly [string | null, number])[] = []
  const sample = createSample<string>(perSecond, (item, leftOut) => notified.push([item, leftOut]))
  return { notified, sample, take: (...items: readonly string[]) => items.forEach(sample.take) }
}

test('the first items of each second are reported, and the next report has the count of the items left out', () => {
  const { notified, take } = sampled(2)
  take('a', 'b', 'c', 'd')
  expect(notified).toEqual([
    ['a', 0],
    ['b', 0],
  ])
  vi.advanceTimersByTime(999)
  expect(notified).toHaveLength(2)
  vi.advanceTimersByTime(1)
  take('e')
  expect(notified.slice(2).reduce((sum, [item, leftOut]) => sum + leftOut + (item === null ? 0 : 1), 0)).toBe(3)
})

test('if no item follows a burst, the count of items left out is reported once at the end of the second', () => {
  const { notified, take } = sampled(20)
  take(...Array.from({ length: 500 }, (_, i) => String(i)))
  expect(notified).toHaveLength(20)
  vi.advanceTimersByTime(10_000)
  expect(notified.slice(20)).toEqual([[null, 480]])
})

test('a sample that has ended reports nothing more', () => {
  const { notified, sample, take } = sampled(1)
  take('a', 'b')
  sample.end()
  vi.advanceTimersByTime(10_000)
  expect(notified).toEqual([['a', 0]])
})
