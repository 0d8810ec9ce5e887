import { pathOf } from './steps.ts'

interface TrendProps {
  /** The change, such as +3 %. Undefined without a former value. */
  readonly change: string | undefined
  /** The value in the previous period, for the title. */
  readonly before: string
  /** The value of each step. Undefined if it is not known. */
  readonly steps: readonly (number | undefined)[]
}

const HEIGHT = 20

/**
 * The difference between a figure and its value in the preceding time span of equal length, and a small chart of its values in the present
 * span.
 */
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
