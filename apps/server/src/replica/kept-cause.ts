import { type Cause, causeCode, causeText } from '@gantt/scheduler-core'
import type { KeptCause } from '../db/rows.ts'

/** A cause as decisions keep it: the code that it is counted under, and its sentences. */
export const keptCause = (cause: Cause): KeptCause => ({
  code: causeCode(cause),
  text: causeText(cause),
  admitted: cause.admitted,
  nearest: cause.nearest?.name ?? null,
})
