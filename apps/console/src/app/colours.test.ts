import { readFileSync } from 'node:fs'
import { DEFAULT_THEME } from '@mantine/core'
import { describe, expect, test } from 'vitest'
import { type Backdrop, loadPixels } from '../ui/chart/load-scale.ts'
import { cssVariables } from './theme.ts'

type Triple = readonly [number, number, number]

/** Complete deuteranopia by Machado, Oliveira and Fernandes 2009 (severity 1), as a matrix of linear red, green and blue. */
const DEUTERANOPIA: readonly [Triple, Triple, Triple] = [
  [0.367322, 0.860646, -0.227968],
  [0.280085, 0.672501, 0.047413],
  [-0.01182, 0.04294, 0.968881],
]
/** The matrix that converts linear red, green and blue to CIE X, Y and Z. The values are relative to the white of D65. */
const XYZ: readonly [Triple, Triple, Triple] = [
  [0.433953, 0.376219, 0.189828],
  [0.212673, 0.715152, 0.072175],
  [0.017756, 0.109468, 0.872776],
]

const times = ([x, y, z]: readonly [Triple, Triple, Triple], [a, b, c]: Triple): Triple => {
  const row = (of: Triple): number => of[0] * a + of[1] * b + of[2] * c
  return [row(x), row(y), row(z)]
}
const each = ([a, b, c]: Triple, change: (one: number) => number): Triple => [change(a), change(b), change(c)]

/** A colour (components 0 to 255) in CIE Lab under D65, as it is seen with deuteranopia. */
function seen(colour: Triple): Triple {
  const linear = each(colour, (byte) => (byte <= 0.04045 * 255 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4))
  const shown = each(times(DEUTERANOPIA, linear), (part) => Math.min(1, Math.max(0, part)))
  const [x, y, z] = each(times(XYZ, shown), (part) => (part > 216 / 24_389 ? Math.cbrt(part) : ((24_389 / 27) * part + 16) / 116))
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

const distance = (one: Triple, other: Triple): number => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2])

const fromHex = (hex: string): Triple => {
  const number = Number.parseInt(hex.slice(1), 16)
  return [number >> 16, (number >> 8) & 255, number & 255]
}

const sheet = (file: string): string => readFileSync(new URL(file, import.meta.url), 'utf8')
const backdrops: readonly Backdrop[] = ['light', 'dark']

test('the simulation of deuteranopia keeps greys, and makes red and green similar', () => {
  for (const grey of [0, 60, 255]) expect(Math.hypot(seen([grey, grey, grey])[1], seen([grey, grey, grey])[2])).toBeLessThan(0.1)
  expect(seen([255, 255, 255])[0]).toBeCloseTo(100, 2)
  expect(distance(seen([176, 42, 42]), seen([37, 111, 51]))).toBeLessThan(20)
})

test.each(backdrops)('with deuteranopia the lightness of the scale for load is monotonic (%s)', (backdrop) => {
  const lightness = Array.from(loadPixels(backdrop), (pixel) => seen([pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255])[0])
  // On a dark page, full hosts are the brightest. Colours are rounded to whole numbers, so neighbouring shades can be equally light.
  const upwards = backdrop === 'dark' ? lightness : lightness.toReversed()
  const back = upwards.flatMap((one, i) => (i > 0 && one < (upwards[i - 1] ?? 0) ? [i] : []))
  expect(back).toEqual([])
  // shades that are 32 steps apart can be distinguished
  for (let i = 32; i < 256; i += 32) expect((upwards[i] ?? 0) - (upwards[i - 32] ?? 0), `step ${i}`).toBeGreaterThan(4)
})

describe('the eight colours of the parts of a bar', () => {
  // both themes use the same eight colours, because each part has a border in the colour of the page
  const set = Array.from(sheet('../ui/chart/bars.css').matchAll(/\.g-colour-\d \{\s*fill: (#[0-9a-f]{6})/g), ([, hex = '']) =>
    seen(fromHex(hex)),
  )
  const pairs = set.flatMap((one, i) => set.flatMap((other, j) => (j > i ? [{ i, j, apart: distance(one, other) }] : [])))

  test('with deuteranopia, neighbouring colours, including the last and the first, are at least 30 apart in CIE Lab', () => {
    expect(set).toHaveLength(8)
    expect(pairs.filter(({ i, j, apart }) => (j - i === 1 || j - i === 7) && apart < 30)).toEqual([])
  })

  test('with deuteranopia, any two colours are at least 16 apart', () => {
    expect(pairs.filter(({ apart }) => apart < 16)).toEqual([])
  })
})

describe('the colours of decision outcomes', () => {
  const declared = (css: string, name: string): string | undefined => new RegExp(`--gantt-${name}: (#[0-9a-f]{6})`).exec(css)?.[1]
  const usual = cssVariables(DEFAULT_THEME)
  /** The rules for high contrast, which replace some of the colours. */
  const high = sheet('./global.css').split('[data-contrast="high"]')
  const highOf: Readonly<Record<Backdrop, string>> = {
    light: high.find((part) => part.startsWith('[data-mantine-color-scheme="light"]')) ?? '',
    dark: high.find((part) => part.startsWith('[data-mantine-color-scheme="dark"]')) ?? '',
  }
  const colour = (backdrop: Backdrop, isHigh: boolean, name: string): Triple =>
    seen(fromHex((isHigh ? declared(highOf[backdrop], name) : undefined) ?? usual[backdrop][`--gantt-${name}`] ?? ''))

  // The two colours of a pair can be adjacent in the cells of a strip, or in the sections of a bar.
  test.each(
    backdrops.flatMap((backdrop) =>
      (
        [
          ['pass', 'fail'],
          ['pass', 'idle'],
          ['fail', 'idle'],
          ['used', 'claimed'],
          ['claimed', 'fail'],
          ['used', 'fail'],
          ['used', 'free'],
          ['claimed', 'free'],
        ] as const
      ).flatMap(([one, other]) => [false, true].map((isHigh) => ({ backdrop, isHigh, one, other }))),
    ),
  )('with deuteranopia $one and $other are at least 25 apart ($backdrop, high contrast: $isHigh)', ({ backdrop, isHigh, one, other }) => {
    expect(distance(colour(backdrop, isHigh, one), colour(backdrop, isHigh, other))).toBeGreaterThanOrEqual(25)
  })
})
