import type { Activity } from './figures.ts'
import { positionOf } from './steps.ts'
import type { Mark } from './use-marks.ts'

interface ChangeMarksProps {
  readonly activity: Activity
  readonly marks: readonly Mark[]
}

/** Marks the changes that operators made on the time axis of a chart. */
export function ChangeMarks({ activity, marks }: ChangeMarksProps) {
  return marks.map(({ id, at }) => (
    <i
      key={id}
      aria-hidden
      className="overview-mark"
      data-mark={id}
      style={{ left: `${(100 * positionOf(activity, at)) / activity.steps.length}%` }}
    />
  ))
}
