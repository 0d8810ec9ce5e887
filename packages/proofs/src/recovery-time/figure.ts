/** The values of a repeated measurement. */
export interface Figure {
  readonly what: string
  readonly unit: 's' | 'MB' | '/s' | ''
  readonly values: readonly number[]
}

const DIGITS = 100

export const medianOf = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)] ?? Number.NaN

/** A line such as `what: 5.1 s (4.2 to 6.3, 5 times)`. */
export function textOf({ what, unit, values }: Figure): string {
  const text = (value: number): string => String(Math.round(value * DIGITS) / DIGITS)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const spread = values.length > 1 ? ` (${text(least)} to ${text(most)}, ${values.length} times)` : ''
  return `${what}: ${text(medianOf(values))}${unit === '/s' ? ' a second' : unit === '' ? '' : ` ${unit}`}${spread}`
}

/** Collects figures and returns them in the order in which they were first added. */
export interface Figures {
  add(what: string, unit: Figure['unit'], ...values: readonly number[]): void
  readonly all: readonly Figure[]
}

export function createFigures(): Figures {
  const byName = new Map<string, { readonly what: string; readonly unit: Figure['unit']; readonly values: number[] }>()
  return {
    add(what, unit, ...values) {
      const figure = byName.get(what) ?? { what, unit, values: [] }
      figure.values.push(...values)
      byName.set(what, figure)
    },
    get all() {
      return [...byName.values()]
    },
  }
}
