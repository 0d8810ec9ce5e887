import type { Step } from './figures.ts'
import { pathOf } from './steps.ts'

/** The size of the drawing in its own units. The drawing is stretched to the available space. */
const HEIGHT = 100

/**
 * The latency chart. It has the same time axis as the chart above. The solid line is the 99th percentile, and the dashed line is the
 * median.
 */
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
