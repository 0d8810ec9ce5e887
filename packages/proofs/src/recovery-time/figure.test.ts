import { describe, expect, test } from 'vitest'
import { createFigures, textOf } from './figure.ts'
import { answeredAgainMs, longestSilenceMs } from './probe.ts'

describe('figures of a recovery', () => {
  const answered = (...times: readonly (readonly [number, number])[]) => times.map(([begunAt, endedAt]) => ({ begunAt, endedAt }))

  test.each<[string, ReturnType<typeof answered>, number | undefined]>([
    ['nothing was answered', answered(), undefined],
    ['calls from before do not count, even if they were answered afterwards', answered([90, 150]), undefined],
    ['the first answer to a call that was made after', answered([90, 150], [110, 900], [500, 700]), 600],
  ])('%s', (_what, calls, ms) => {
    expect(answeredAgainMs(calls, 100)).toBe(ms)
  })

  test.each<[string, ReturnType<typeof answered>, number]>([
    ['before and after it do not count', answered([0, 0], [0, 90], [0, 101], [0, 199], [0, 900]), 701],
    ['times that had ended by then do not count', answered([0, 0], [0, 99], [0, 150], [0, 201], [0, 205]), 51],
  ])('the longest silence between two moments: %s', (_what, calls, ms) => {
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
