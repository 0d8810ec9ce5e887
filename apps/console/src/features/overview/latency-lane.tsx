import type { Step } from './figures.ts'
import { pathOf } from './steps.ts'

/** Units of the drawing; it is stretched to its place. */
const HEIGHT = 100

/** How long decisions took, step by step, on the axis of the chart above it: 99 of 100 as a full line, half of them as a broken one. */
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
