import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core'
import { describe, expect, test } from 'vitest'
import type { Backdrop } from '../ui/chart/load-scale.ts'
import { cssVariables, theme } from './theme.ts'

// WCAG 2.2, 1.4.3 and 1.4.6: text and its background, in every colour of the theme. The browser tests check each state of each page in
// light (`npm test`) and in dark and forced colours (`npm run test:all`). This file checks all pairs of colours, even those that no page
// shows.

type Rgba = readonly [red: number, green: number, blue: number, alpha: number]
type Variables = Readonly<Record<string, string>>

const merged = mergeMantineTheme(DEFAULT_THEME, theme)
const sources = fileURLToPath(new URL('..', import.meta.url))
const sheets = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .map((file) => ({ file, css: readFileSync(path.join(sources, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '') }))

/** All CSS variables of the page. A later style sheet overrides the values of an earlier style sheet. */
function variablesOf(backdrop: Backdrop, isHigh: boolean): Variables {
  const library = defaultCssVariablesResolver(merged)
  const own = cssVariables(merged)
  const normal = { ...library.variables, ...library[backdrop], ...own.variables, ...own[backdrop] }
  return isHigh ? { ...normal, ...highContrastOf(backdrop) } : normal
}

function highContrastOf(backdrop: Backdrop): Variables {
  const css = sheets.find(({ file }) => file === path.join('app', 'global.css'))?.css ?? ''
  const block = new RegExp(`data-contrast="high"\\]\\[data-mantine-color-scheme="${backdrop}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? ''
  return Object.fromEntries(Array.from(block.matchAll(/(--[\w-]+): ([^;]+);/g), ([, name = '', value = '']) => [name, value]))
}

/** Parses a colour of CSS: `#rrggbb`, `rgba()`, `var()`, `light-dark()`, `color-mix()` with transparent. */
function colourOf(written: string, backdrop: Backdrop, variables: Variables): Rgba {
  const css = written.trim()
  const of = (part: string): Rgba => colourOf(part, backdrop, variables)
  const call = /^(var|light-dark|rgba?|color-mix)\((.*)\)$/s.exec(css)
  const [name, args] = call === null ? [undefined, []] : [call[1], splitArguments(call[2] ?? '')]
  if (name === 'var') return of(variables[args[0] ?? ''] ?? args[1] ?? `nothing, as ${css} is not set`)
  if (name === 'light-dark') return of(args[backdrop === 'light' ? 0 : 1] ?? '')
  if (name === 'rgba' || name === 'rgb') {
    const [red = Number.NaN, green = Number.NaN, blue = Number.NaN, alpha = 1] = args.map(Number)
    return [red, green, blue, alpha]
  }
  const mixed = name === 'color-mix' ? /^(.*) (\d+)%$/.exec(args[1] ?? '') : null
  if (mixed !== null && args[2] === 'transparent') {
    const [red, green, blue, alpha] = of(mixed[1] ?? '')
    return [red, green, blue, (alpha * Number(mixed[2])) / 100]
  }
  const hex = /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(css)?.[1]
  if (hex === undefined) throw new Error(`${JSON.stringify(written)} is not a colour that this test can read`)
  const digits = hex.length === 3 ? Array.from(hex, (digit) => digit + digit).join('') : hex
  const number = Number.parseInt(digits, 16)
  return [number >> 16, (number >> 8) & 255, number & 255, 1]
}

/** Splits at commas outside of parentheses. */
function splitArguments(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const character of text) {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0
    if (character === ',' && depth === 0) parts.push('')
    else parts.push((parts.pop() ?? '') + character)
  }
  return parts.map((part) => part.trim())
}

const over = (top: Rgba, under: Rgba): Rgba => {
  const mix = (i: 0 | 1 | 2): number => top[i] * top[3] + under[i] * (1 - top[3])
  return [mix(0), mix(1), mix(2), 1]
}

/** WCAG's relative luminance. */
function luminance([red, green, blue]: Rgba): number {
  const linear = (byte: number): number => (byte / 255 <= 0.04045 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function contrast(one: Rgba, other: Rgba): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The colour after `filter: grayscale(1)`. */
const grey = ([red, green, blue]: Rgba, alpha: number): Rgba => {
  const value = 0.2126 * red + 0.7152 * green + 0.0722 * blue
  return [value, value, value, alpha]
}

/** The colours of running text. Such text can be on each of `SURFACES`. */
const INKS = [
  '--mantine-color-text',
  '--mantine-color-dimmed',
  '--mantine-color-error',
  '--mantine-color-anchor',
  '--gantt-pass',
  '--gantt-fail',
] as const

/** The backgrounds of text: the page, a panel, a hovered row, a selected row. */
const SURFACES = ['--mantine-color-body', '--gantt-panel', '--gantt-row-hover', '--gantt-row-active'] as const

/** Colours of buttons, badges and notes. */
const NAMES = ['blue', 'green', 'red', 'yellow', 'gray', 'orange', 'teal', 'cyan', 'grape'] as const
const VARIANTS = ['light', 'outline', 'filled', 'subtle'] as const

interface Pair {
  readonly pair: string
  readonly ink: string
  /** The layers below the text, from the top down. Every layer except the last can be transparent. */
  readonly ground: readonly string[]
}

const named = (ink: string, ...ground: readonly string[]): Pair => ({
  pair: `${ink} on ${ground.join(' over ')}`,
  ink: `var(${ink})`,
  ground: ground.map((name) => `var(${name})`),
})

/** Pairs of text and background colours, including those in the style sheets of the component library. */
const FIXED: readonly Pair[] = [
  named('--gantt-travel-ink', '--gantt-travel'),
  named('--mantine-color-placeholder', '--mantine-color-body'),
  named('--mantine-color-text', '--mantine-color-default'),
  named('--mantine-color-default-color', '--mantine-color-default'),
  named('--mantine-color-default-color', '--mantine-color-default-hover'),
  named('--mantine-color-blue-light-color', '--mantine-color-blue-light', '--mantine-color-body'),
  ...(
    [
      ['a tooltip', 'light-dark(#fff, #000)', 'light-dark(var(--mantine-color-gray-9), var(--mantine-color-gray-2))'],
      [
        'a key',
        'light-dark(var(--mantine-color-gray-7), var(--mantine-color-dark-0))',
        'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))',
      ],
      ['code', 'var(--mantine-color-text)', 'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))'],
      [
        'a link of the navigation under the pointer',
        'var(--mantine-color-text)',
        'light-dark(var(--mantine-color-gray-0), var(--mantine-color-dark-6))',
      ],
      [
        'an item of a menu under the pointer',
        'var(--mantine-color-text)',
        'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-4))',
      ],
      [
        'an option',
        'light-dark(var(--mantine-color-gray-7), var(--mantine-color-dark-1))',
        'light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-8))',
      ],
      ['the selected option', 'light-dark(#000, #fff)', 'light-dark(#fff, var(--mantine-color-dark-5))'],
    ] as const
  ).map(([pair, ink, ground]) => ({ pair, ink, ground: [ground] })),
]

const ofTheme: readonly Pair[] = [
  ...INKS.flatMap((ink) => SURFACES.map((surface) => named(ink, surface))),
  ...NAMES.flatMap((color) =>
    VARIANTS.flatMap((variant) => {
      const { color: ink, background, hover } = merged.variantColorResolver({ color, variant, theme: merged })
      const states = [
        ['', background],
        [' under the pointer', hover],
      ] as const
      return states.flatMap(([state, ground]) =>
        SURFACES.map((surface) => ({
          pair: `${variant} ${color}${state} on ${surface}`,
          ink,
          ground: [...(ground === 'transparent' ? [] : [ground]), `var(${surface})`],
        })),
      )
    }),
  ),
  ...FIXED,
]

const backdrops: readonly Backdrop[] = ['light', 'dark']

describe.each(backdrops)('in %s', (backdrop) => {
  const tooPale = (isHigh: boolean, least: number, change: (colour: Rgba, page: Rgba) => Rgba = (colour) => colour): string[] => {
    const variables = variablesOf(backdrop, isHigh)
    const page = colourOf('var(--mantine-color-body)', backdrop, variables)
    return ofTheme.flatMap(({ pair, ink, ground }) => {
      const layers = ground.map((layer) => colourOf(layer, backdrop, variables))
      const under = layers.reduceRight((below, layer) => over(layer, below))
      const ratio = contrast(change(over(colourOf(ink, backdrop, variables), under), page), change(under, page))
      return ratio < least ? [`${pair}: ${ratio.toFixed(2)}`] : []
    })
  }

  test('every text of the theme has a contrast of at least 4.5:1 on each of its backgrounds', () => {
    expect(tooPale(false, 4.5)).toEqual([])
  })

  test('outdated text, which is grey and slightly paler, has a contrast of at least 4.5:1', () => {
    const stale = sheets.find(({ file }) => file === path.join('app', 'global.css'))?.css ?? ''
    const opacity = Number(/\.stale \{\s*opacity: ([\d.]+);\s*filter: grayscale\(1\);/.exec(stale)?.[1])
    expect(tooPale(false, 4.5, (colour, page) => over(grey(colour, opacity), page))).toEqual([])
  })

  test('with high contrast every text has a contrast of at least 7:1', () => {
    expect(tooPale(true, 7)).toEqual([])
  })
})

test('every colour of text or background is in the pairs of this file, and no style sheet has a further colour', () => {
  const inks = new Set<string>(INKS)
  const others = sheets.flatMap(({ file, css }) =>
    Array.from(css.matchAll(/(?<![\w-])color: var\((--[\w-]+)\)/g), ([, name = '']) => name)
      .filter((name) => !inks.has(name) && !ofTheme.some(({ ink }) => ink === `var(${name})`))
      .map((name) => `${file}: ${name}`),
  )
  expect(others).toEqual([])
})

describe('with forced colours', () => {
  /** Bars, and the samples of colour in legends. They keep the colours of the theme, because each has a label in a colour of the system. */
  const DRAWN = new Set([
    '.g-legend > i',
    '.g-meter',
    '.g-share',
    '.g-share > span',
    '.g-diverging',
    '.g-colours svg',
    '.overview-below i',
    '.followed .g-brush-bars svg',
    '.followed-below i',
    '.verdict-key > i',
    '[data-cpu]',
    '.compare-bars > i',
    '.claims-ages svg',
    '.mantine-Switch-thumb',
    '.funnel-track',
    '.funnel-key',
    '.combo-track',
    '.group-share',
    '.shortfall svg',
    '.histogram svg',
    '.histogram-below i',
  ])

  test('only drawings keep their own colours, and all text has the colours of the system', () => {
    const kept = sheets.flatMap(({ css }) =>
      Array.from(css.matchAll(/([^{};]+)\{[^{}]*forced-color-adjust: none/g), ([, selectors = '']) => selectors.split(',')).flat(),
    )
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.map((selector) => selector.trim()).filter((selector) => !DRAWN.has(selector))).toEqual([])
  })

  test('the rules of style sheets for forced colours use the colours of the system', () => {
    const blocks = sheets.flatMap(({ css }) =>
      Array.from(css.matchAll(/@media \(forced-colors: active\) \{((?:[^{}]*\{[^{}]*\})*)/g), ([, block = '']) => block),
    )
    expect(blocks.length).toBeGreaterThan(0)
    expect(blocks.filter((block) => /#[0-9a-f]{3}|rgb|var\(--(mantine-color|gantt)/i.test(block))).toEqual([])
  })
})
