import './dumbbell.css'

interface DumbbellProps {
  /** The text alternative of the drawing. The values are also shown as text next to the drawing. */
  readonly label: string
  readonly before: number
  readonly after: number
  /** The value at the right end of the axis. It must not be smaller than `before` or `after`. The left end is 0. */
  readonly most: number
}

const WIDTH = 200
const HEIGHT = 14
const RADIUS = 5

/** Draws a value before and after a change on one axis: a ring for the old value, a dot for the new value, and a line between them. */
export function Dumbbell({ label, before, after, most }: DumbbellProps) {
  const x = (value: number): number => RADIUS + 1 + (most === 0 ? 0 : ((WIDTH - 2 * RADIUS - 2) * value) / most)
  return (
    <svg className="g-dumbbell" width={WIDTH} height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      <line className="g-axis" x1={x(0)} x2={x(most)} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <line className="g-way" x1={x(before)} x2={x(after)} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      <Dot x={x(after)} />
      <Ring x={x(before)} />
    </svg>
  )
}

/** The legend of the rings and dots. */
export function DumbbellKey() {
  return (
    <span className="g-dumbbell-key">
      <svg className="g-dumbbell" width={12} height={HEIGHT} aria-hidden="true">
        <Ring x={6} />
      </svg>{' '}
      now{' '}
      <svg className="g-dumbbell" width={12} height={HEIGHT} aria-hidden="true">
        <Dot x={6} />
      </svg>{' '}
      with the change
    </span>
  )
}

const Ring = ({ x }: { readonly x: number }) => <circle className="g-ring" cx={x} cy={HEIGHT / 2} r={RADIUS} />

const Dot = ({ x }: { readonly x: number }) => <circle className="g-dot" cx={x} cy={HEIGHT / 2} r={RADIUS - 2} />
