import { wrap } from '../table.ts'
import type { Limit, Unit } from './goals.ts'
import { isMeasured, isReached, type Outcome, type Series, spreadOf } from './target.ts'

const COLUMNS = 80
const INDENT = '    '

/** The outcomes of a measurement as lines of at most 80 columns. */
export const targetLines = (outcomes: readonly Outcome[]): string[] => outcomes.flatMap(linesOf)

function linesOf(outcome: Outcome): string[] {
  const { id, what, unit, target, stretch } = outcome.goal
  const wanted = `target ${limitOf(target, unit)}${stretch === null ? '' : `, stretch ${limitOf(stretch, unit)}`}`
  const indented = (text: string): string[] => wrap(text, COLUMNS - INDENT.length).map((line) => `${INDENT}${line}`)
  if (!isMeasured(outcome))
    return [
      ...wrap(`${id}: ${what}`, COLUMNS),
      ...indented(`${wanted}; not run: ${outcome.reason}`),
      ...indented(`to run it: ${outcome.command}`),
    ]
  const { median } = spreadOf(outcome.values)
  const verdict = !isReached(median, target) ? 'MISSED' : stretch === null || !isReached(median, stretch) ? 'met' : 'met, with the stretch'
  return [
    ...wrap(`${id}: ${what} (${outcome.size})`, COLUMNS),
    ...indented(`${spreadText(outcome.values, unit)}; ${wanted}: ${verdict}`),
    ...indented(`baseline: ${seriesText(outcome.baseline)}`),
    ...outcome.parts.flatMap((part) => indented(seriesText(part))),
  ]
}

const limitOf = (limit: Limit, unit: Unit): string =>
  'most' in limit ? `<= ${textOf(limit.most, unit)}` : `>= ${textOf(limit.least, unit)}`

const seriesText = ({ what, unit, values }: Series): string => `${what}: ${spreadText(values, unit)}`

/** A median with the smallest and the largest value, such as `5.1 us (4.2 to 6.3)`. */
function spreadText(values: readonly number[], unit: Unit): string {
  const { min, median, max } = spreadOf(values)
  return `${textOf(median, unit)} (${numberText(min)} to ${numberText(max)})`
}

const textOf = (value: number, unit: Unit): string => (unit === '' ? numberText(value) : `${numberText(value)} ${unit}`)

const numberText = (value: number): string => {
  const size = Math.abs(value)
  return size >= 100
    ? value.toFixed(0)
    : size >= 10
      ? value.toFixed(1)
      : size >= 0.1 || size === 0
        ? value.toFixed(2)
        : value.toPrecision(2)
}
