import { formatCount, formatTime, formatTook, useTimeZone } from '../../lib/format.ts'
import type { Call } from '../../lib/service/wire.ts'
import { BrushBars } from '../../ui/chart/brush-bars.tsx'
import { StepSample } from '../../ui/chart/step-chart.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ChangeMarks } from './change-marks.tsx'
import { ChangeTable } from './change-table.tsx'
import type { Activity } from './figures.ts'
import { LatencyLane } from './latency-lane.tsx'
import { StepTable } from './step-table.tsx'
import { endOf, lineOf } from './steps.ts'
import { useMarks } from './use-marks.ts'

interface RateProps {
  readonly activity: Activity
  /** The API call that read `activity`, for the menu that copies it. */
  readonly call: Call
  /** Called when a range of time is selected: from `since` to before `until`. */
  onTake(since: string, until: string): void
}

/** Charts of decisions over time: counts with the failures at the bottom, durations, and marks of changes. Tables have the same data. */
export function Rate({ activity, call, onTake }: RateProps) {
  const zone = useTimeZone()
  const { marks, total, error, retry } = useMarks(activity)
  const { steps, decisions, failed, since, until, took } = activity
  const slowest = Math.max(0, ...steps.map((step) => step.took?.p99Ms ?? 0))
  return (
    <section aria-label="Decisions over time" className="overview-rate">
      <Heading keys="4" call={call}>
        Decisions over time
      </Heading>
      <BrushBars
        label={`Decisions over time, with their durations: ${formatCount(decisions)} decisions in ${steps.length} steps; ${formatCount(failed)} of them failed.`}
        bars={steps.map((step) => ({
          key: step.at,
          parts: [
            { className: 'overview-failed', count: step.failed },
            { className: 'overview-placed', count: step.decisions - step.failed },
          ],
        }))}
        ends={[formatTime(since, zone), formatTime(until, zone)]}
        describe={(from, to) => lineOf(activity, from, to, zone, marks)}
        onBrush={(from, to) => onTake(steps[from]?.at ?? since, endOf(activity, to))}
      >
        <LatencyLane steps={steps} />
        <ChangeMarks activity={activity} marks={marks} />
      </BrushBars>
      {error ? <Problem error={error} onRetry={retry} /> : null}
      <div className="overview-below">
        <span>
          <i className="overview-failed" aria-hidden /> failed
        </span>
        <span>
          <i className="overview-placed" aria-hidden /> not failed
        </span>
        {took === null ? null : (
          <>
            <span>
              <StepSample look={0} /> p99, at most {formatTook(slowest)} in a step
            </span>
            <span>
              <StepSample look={1} /> p50
            </span>
          </>
        )}
        {total === 0 ? null : (
          <span data-marks={total}>
            <i className="overview-mark-sample" aria-hidden /> {formatCount(total)} {total === 1 ? 'change' : 'changes'}
          </span>
        )}
        <details>
          <summary>As a table</summary>
          <StepTable activity={activity} />
          <ChangeTable label="Changes in this time" changes={marks} maxHeight="160px" />
          {total > marks.length ? `The newest ${formatCount(marks.length)} of ${formatCount(total)} are marked.` : null}
        </details>
      </div>
    </section>
  )
}
