import { type Cause, causeText } from '@gantt/scheduler-core'
import type { KeptCause } from '../../db/tables/rows.ts'

/** A cause in its stored form: its code, and its sentences, followed by the suggestion `way` if there is one. */
export const keptCause = (cause: Cause, way?: string): KeptCause => ({
  code: cause.code,
  text: causeText(cause, way),
  admitted: cause.admitted,
  nearest: cause.nearest?.name ?? null,
})
