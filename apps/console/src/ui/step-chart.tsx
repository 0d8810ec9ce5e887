import type { PointerEvent } from 'react'
import './step-chart.css'

interface StepPoint {
  readonly x: number
  readonly y: number
}

export interface StepLine {
  readonly name: string
  /** Which of the three looks, 0 to 2: a name and its look belong together on the whole page. */
  readonly look: number
  /** In the order of x; between two of them the line stays at the first. */
  readonly points: readonly StepPoint[]
}

interface StepChartProps {
  /** What is drawn, as text; the numbers stand next to it. */
  readonly label: string
  readonly lines: readonly StepLine[]
  /** What the right and the upper edge stand for, above 0. */
  readonly most: StepPoint
  /** The x that is reported next to the chart. */
  readonly cursor: number
  /** The pointer is over so much of x. */
  onCursor(x: number): void
}

const WIDTH = 600
const HEIGHT = 110

/** Lines that go by steps, on axes that begin at 0. */
export function StepChart({ label, lines, most, cursor, onCursor }: StepChartProps) {
  const x = (value: number): number => (WIDTH * value) / most.x
  const y = (value: number): number => HEIGHT - (HEIGHT * Math.min(value, most.y)) / most.y
  const point = ({ currentTarget, clientX }: PointerEvent): void => {
    const { left, width } = currentTarget.getBoundingClientRect()
    if (width > 0) onCursor(Math.min(most.x, Math.max(0, Math.round((most.x * (clientX - left)) / width))))
  }
  return (
    <svg
      className="g-steps"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
      onPointerMove={point}
      onPointerDown={point}
    >
      {lines.map(({ name, look, points }) => (
        <path key={name} className={`g-step-${look}`} d={pathOf(points.map((one) => ({ x: x(one.x), y: y(one.y) })))} />
      ))}
      <line className="g-step-cursor" x1={x(cursor)} x2={x(cursor)} y1={0} y2={HEIGHT} />
    </svg>
  )
}

/** The look of a line, to stand next to its name. */
export function StepSample({ look }: { readonly look: number }) {
  return (
    <svg className="g-step-sample" width={28} height={10} aria-hidden="true">
      <line className={`g-step-${look}`} x1={0} x2={28} y1={5} y2={5} />
    </svg>
  )
}

const pathOf = ([first, ...others]: readonly StepPoint[]): string =>
  first === undefined ? '' : `M${first.x} ${first.y}${others.map(({ x, y }) => `H${x}V${y}`).join('')}`
