import './bars.css'

/** A bar with the available share of a needed amount, 0 to 1. The amounts are shown next to the bar as text. */
export function Share({ share }: { readonly share: number }) {
  return (
    <span className="g-share" aria-hidden>
      <span style={{ width: `${share * 100}%` }} />
    </span>
  )
}

/** A part of a diverging bar, in the units of the axis. */
export interface DivergingPart {
  readonly key: string
  readonly from: number
  readonly to: number
  /** The index of one of the eight colours. Parts with the same key must have the same colour on the whole page. */
  readonly colour: number
}

interface DivergingBarProps {
  /** The text alternative of the drawing. */
  readonly label: string
  readonly parts: readonly DivergingPart[]
  /** The ends of the axis. Bars that are compared must have the same ends. */
  readonly extent: readonly [number, number]
  /** The sum of all parts, which is marked on the bar. */
  readonly total: number
}

const HEIGHT = 18

/** A bar with positive parts to the right of a zero line, negative parts to the left, and a mark at their sum. */
export function DivergingBar({ label, parts, extent: [low, high], total }: DivergingBarProps) {
  const x = (value: number): string => `${(100 * (value - low)) / (high - low)}%`
  return (
    <svg className="g-diverging" height={HEIGHT} role="img" aria-label={label}>
      <title>{label}</title>
      {parts.map(({ key, from, to, colour }) => (
        <rect
          key={key}
          className={`g-colour-${colour % 8}`}
          x={x(from)}
          y={3}
          width={`${(100 * (to - from)) / (high - low)}%`}
          height={HEIGHT - 6}
        />
      ))}
      <line x1={x(0)} x2={x(0)} y1={0} y2={HEIGHT} className="g-zero" />
      <line x1={x(total)} x2={x(total)} y1={1} y2={HEIGHT - 1} className="g-total" />
    </svg>
  )
}

/** The legend of the colours. */
export function ColourKey({ label, names }: { readonly label: string; readonly names: readonly string[] }) {
  return (
    <ul className="g-colours" aria-label={label}>
      {names.map((name, i) => (
        <li key={name}>
          <svg width={12} height={12} aria-hidden="true">
            <rect className={`g-colour-${i % 8}`} width={12} height={12} />
          </svg>{' '}
          {name}
        </li>
      ))}
    </ul>
  )
}
