import { describe, expect, test } from 'vitest'
import { createFigures, textOf } from './figure.ts'
import { memoryMb, peakMemoryMb, toMb } from './memory.ts'
import { answeredAgainMs, longestSilenceMs } from './probe.ts'

describe('figures of a recovery', () => {
  const answered = (...times: readonly (readonly [number, number])[]) => times.map(([begunAt, endedAt]) => ({ begunAt, endedAt }))

  test.each<[string, ReturnType<typeof answered>, number | undefined]>([
    ['nothing was answered', answered(), undefined],
    ['calls from before do not count, even if they were answered afterwards', answered([90, 150]), undefined],
    ['only the first answer to a call that was sent afterwards counts', answered([90, 150], [110, 900], [500, 700]), 600],
  ])('the time until calls are answered again: %s', (_what, calls, ms) => {
    expect(answeredAgainMs(calls, 100)).toBe(ms)
  })

  test.each<[string, ReturnType<typeof answered>, number]>([
    ['a silence that overlaps the period counts in full', answered([0, 0], [0, 90], [0, 101], [0, 199], [0, 900]), 701],
    ['a silence that ended before the period does not count', answered([0, 0], [0, 99], [0, 150], [0, 201], [0, 205]), 51],
  ])('the longest silence in the period between two moments: %s', (_what, calls, ms) => {
    expect(longestSilenceMs(calls, 100, 200)).toBe(ms)
  })

  test('a figure is reported as its median, with its range', () => {
    const figures = createFigures()
    figures.add('once', 'MB', 12.345)
    figures.add('often', 's', 3, 1)
    figures.add('often', 's', 2)
    expect(figures.all.map(textOf)).toEqual(['once: 12.35 MB', 'often: 2 s (1 to 3, 3 times)'])
  })
})

test.each([
  ['1000000', 1_024],
  ['  976562 ', 999.999488],
  ['', undefined],
])('%j KiB is %s MB', (kib, mb) => expect(toMb(kib)).toBe(mb))

test('the memory of this process is about as large as Node reports it', () => {
  const mb = memoryMb(process.pid)
  const own = process.memoryUsage.rss() / 1_000_000
  if (mb !== undefined) expect(Math.abs(mb - own) / own).toBeLessThan(0.5)
  expect(peakMemoryMb(process.pid) ?? own).toBeGreaterThan(own / 2)
})
