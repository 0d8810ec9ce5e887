import { type Cause, causeText } from '@gantt/scheduler-core'
import type { KeptCause } from '../db/rows.ts'

/** A cause as decisions keep it: the code that it is counted under, and its sentences. */
export const keptCause = (cause: Cause): KeptCause => ({
  code: cause.code,
  text: causeText(cause),
  admitted: cause.admitted,
  nearest: cause.nearest?.name ?? null,
})

/** The cause with how what was refused can be done otherwise, where there is a way. */
export const withWay = (cause: KeptCause, way: string | undefined): KeptCause =>
  way === undefined ? cause : { ...cause, text: `${cause.text} ${way}` }
