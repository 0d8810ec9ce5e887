import type { Step } from './figures.ts'
import { pathOf } from './steps.ts'

/** The size of the drawing in its own units; it is stretched to the available space. */
const HEIGHT = 100

/** The durations of decisions on the axis of the chart above: the 99th percentile as a solid line, the median as a dashed one. */
export function LatencyLane({ steps }: { readonly steps: readonly Step[] }) {
  const most = Math.max(0, ...steps.map(({ took }) => took?.p99Ms ?? 0))
  if (most === 0) return null
  return (
    <svg className="overview-latency" viewBox={`0 0 ${steps.length} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
      <path
        className="g-step-0"
        d={pathOf(
          steps.map(({ took }) => took?.p99Ms),
          most,
          HEIGHT,
        )}
      />
      <path
        className="g-step-1"
        d={pathOf(
          steps.map(({ took }) => took?.p50Ms),
          most,
          HEIGHT,
        )}
      />
    </svg>
  )
}
