import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { columnAfterKey, columnAt, edgesOf, runsOf, type Tone } from './strip-layout.ts'

const line = (tones: readonly Tone[], pixels: number, groups: readonly number[] = [0], faded: readonly number[] = []) =>
  runsOf({
    count: tones.length,
    pixels,
    groups,
    toneAt: (column) => tones[column] as Tone,
    isFaded: (column) => faded.includes(column),
  })

describe('runs of a strip', () => {
  test('equal neighbours form one run', () =>
    expect(line(['pass', 'pass', 'fail'], 6)).toEqual([
      { from: 0, to: 4, tone: 'pass', faded: false },
      { from: 4, to: 6, tone: 'fail', faded: false },
    ]))

  test('wide cells have gaps', () => expect(line(['pass', 'pass'], 10)).toHaveLength(2))

  test('a pixel is left free before a group if there is space for it', () =>
    expect(line(['pass', 'pass'], 4, [0, 1])).toEqual([
      { from: 0, to: 1, tone: 'pass', faded: false },
      { from: 2, to: 4, tone: 'pass', faded: false },
    ]))

  test('if several columns share a pixel, the worst verdict is shown', () => {
    expect(line(['pass', 'fail', 'skipped', 'pass'], 2).map(({ tone }) => tone)).toEqual(['fail', 'pass'])
  })

  test('a highlighted column takes precedence over a faded one', () =>
    expect(line(['fail', 'pass'], 1, [0], [0])).toEqual([{ from: 0, to: 1, tone: 'pass', faded: false }]))

  test('runs follow each other within the line, and every refusal is visible', () => {
    const tones = fc.array(fc.constantFrom<Tone>('pass', 'fail', 'skipped'), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(tones, fc.integer({ min: 1, max: 200 }), (all, pixels) => {
        const runs = line(all, pixels)
        for (const [i, { from, to }] of runs.entries()) {
          expect(from).toBeGreaterThanOrEqual(i === 0 ? 0 : (runs[i - 1]?.to ?? 0))
          expect(to).toBeGreaterThan(from)
          expect(to).toBeLessThanOrEqual(pixels)
        }
        if (all.length > pixels && all.includes('fail')) expect(runs.some(({ tone }) => tone === 'fail')).toBe(true)
      }),
    )
  })
})

test.each([
  [0, 0],
  [99.9, 9],
  [100, 9],
  [-3, 0],
  [55, 5],
])('the position %d of 100 pixels is in column %d of 10', (x, column) => {
  expect(columnAt(x, 100, 10)).toBe(column)
  const [left, right] = edgesOf(column, 100, 10)
  expect(right - left).toBe(10)
})

test.each([
  ['ArrowRight', -1, 0],
  ['ArrowRight', 9, 9],
  ['ArrowLeft', 0, 0],
  ['Home', 5, 0],
  ['End', 5, 9],
  ['PageDown', 1, 4],
  ['PageDown', 7, 9],
  ['PageUp', 5, 4],
  ['PageUp', 0, 0],
  ['Enter', 5, undefined],
])('%s at column %d leads to %s', (key, from, to) => expect(columnAfterKey(key, from, 10, [0, 4, 7])).toBe(to))
