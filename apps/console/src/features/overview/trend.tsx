import { pathOf } from './steps.ts'

interface TrendProps {
  /** How much it changed: +3 %. Undefined: there was nothing to compare with. */
  readonly change: string | undefined
  /** What it was in the span before, for the title. */
  readonly before: string
  /** What it was step by step; undefined where it is not known. */
  readonly steps: readonly (number | undefined)[]
}

const HEIGHT = 20

/** How a figure changed against the span of equal length before, and how it went within this one. */
export function Trend({ change, before, steps }: TrendProps) {
  const most = Math.max(...steps.map((step) => step ?? 0))
  return (
    <span className="overview-trend" title={`Compared with the preceding period of the same length: ${before}`}>
      {change === undefined ? null : <span data-trend>{change}</span>}
      {most === 0 ? null : (
        <svg className="overview-sparkline" viewBox={`0 0 ${steps.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
          <path d={pathOf(steps, most, HEIGHT)} />
        </svg>
      )}
    </span>
  )
}
