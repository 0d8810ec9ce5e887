import { type Cause, causeText } from '@gantt/scheduler-core'
import type { KeptCause } from '../db/rows.ts'

/** A cause as decisions keep it: the code that it is counted under, and its sentences, with the way out where there is one. */
export const keptCause = (cause: Cause, way?: string): KeptCause => ({
  code: cause.code,
  text: causeText(cause, way),
  admitted: cause.admitted,
  nearest: cause.nearest?.name ?? null,
})
