import { type Figure, isMet, type Question } from './question.ts'

const COLUMNS = 80

/** A measurement and its results as lines of at most 80 columns. */
export function toLines({ name, asks, floor }: Question, figures: readonly Figure[]): string[] {
  const heads = ['median', 'p99', 'ratio', 'target']
  const cells = figures.map((figure) => [
    textOf(figure.median, figure.unit),
    textOf(figure.p99, figure.unit),
    ratioOf(figure),
    targetOf(figure),
  ])
  const widths = heads.map((head, i) => Math.max(head.length, ...cells.map((row) => row[i]?.length ?? 0)))
  const room = COLUMNS - widths.reduce((sum, width) => sum + width + 2, 0)
  const row = (what: string, texts: readonly string[]): string[] => {
    const lines = wrap(what, room)
    const last = lines.pop() ?? ''
    return [...lines, `${last.padEnd(room)}${texts.map((text, i) => `  ${text.padStart(widths[i] ?? 0)}`).join('')}`.trimEnd()]
  }
  return [
    ...wrap(`${name}: ${asks}`, COLUMNS),
    ...wrap(`Ratios are to ${floor}.`, COLUMNS),
    ...row('', heads),
    ...figures.flatMap(({ what }, i) => row(what, cells[i] ?? [])),
  ]
}

const textOf = (value: number | null, unit: Figure['unit']): string =>
  value === null ? '' : unit === 'ms' ? `${value < 10 ? value.toFixed(3) : value.toFixed(0)} ms` : `${Math.round(value)} ${unit}`

const ratioOf = ({ ratio }: Figure): string => (ratio === null ? '' : `${ratio < 0.01 ? ratio.toExponential(0) : ratio.toFixed(2)} x`)

function targetOf(figure: Figure): string {
  const { target, unit } = figure
  if (target === undefined) return ''
  const most = target.of === 'ratio' ? `${target.most} x` : `${target.most} ${unit}`
  return `${isMet(figure) === true ? 'met' : 'MISSED'}: ${target.of === 'p99' ? 'p99 ' : ''}<= ${most}`
}

export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = `  ${word}`
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}
