import type { PointerEvent } from 'react'
import './step-chart.css'

interface StepPoint {
  readonly x: number
  readonly y: number
}

export interface StepLine {
  readonly name: string
  /** The index of one of three line styles, 0 to 2. Lines with the same name must have the same style on the whole page. */
  readonly look: number
  /** The points, in ascending order of x. From one point to the next, the line keeps the value of the first of the two. */
  readonly points: readonly StepPoint[]
}

interface StepChartProps {
  /** The text alternative of the drawing. The values are also shown as text next to the drawing. */
  readonly label: string
  readonly lines: readonly StepLine[]
  /** The x of the right edge and the y of the upper edge. Both must be above 0. */
  readonly most: StepPoint
  /** The x whose values are shown next to the chart. */
  readonly cursor: number
  /** Called with the x under the pointer. */
  onCursor(x: number): void
}

const WIDTH = 600
const HEIGHT = 110

/** A chart of lines that change in steps. Both axes begin at 0. */
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

/** A sample of a line style for the legend. */
export function StepSample({ look }: { readonly look: number }) {
  return (
    <svg className="g-step-sample" width={28} height={10} aria-hidden="true">
      <line className={`g-step-${look}`} x1={0} x2={28} y1={5} y2={5} />
    </svg>
  )
}

const pathOf = ([first, ...others]: readonly StepPoint[]): string =>
  first === undefined ? '' : `M${first.x} ${first.y}${others.map(({ x, y }) => `H${x}V${y}`).join('')}`
