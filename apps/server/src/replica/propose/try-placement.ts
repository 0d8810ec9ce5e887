import { randomUUID } from 'node:crypto'
import type { Change, Fleet, Steps } from '@gantt/scheduler-core'
import { buildBatch } from './batch.ts'
import { MAX_GATHERINGS } from './gather.ts'
import type { Gathered, PlacementCall, PlacementOutcome } from './placement.ts'
import type { PlacementWork } from './work.ts'

/**
 * Returns the changes that a call would write now, or its answer if it would write nothing. The call is decided as the replica would decide
 * it, but no external plug-in is called: `gathered` has their earlier answers. Yields while it searches the cause of a refusal, so no other
 * code may use the fleet meanwhile.
 */
export function* tryPlacementInSteps(
  fleet: Fleet,
  call: PlacementCall,
  gathered: Gathered = {},
): Steps<{ readonly changes: readonly Change[] } | PlacementOutcome> {
  let outcome: PlacementOutcome | undefined
  let failed: Error | undefined
  const work: PlacementWork = {
    type: 'placement',
    call,
    decisionId: randomUUID(),
    claimIds: Array.from({ length: call.request.numInstances }, () => randomUUID()),
    notAfter: fleet.now + call.deadlineMs,
    attempt: 0,
    hasMovedTime: true,
    gathered,
    gatherings: MAX_GATHERINGS,
    arrived: 0,
    abandoned: false,
    settle: (settled) => {
      outcome = settled
    },
    fail: (error) => {
      failed = error
    },
  }
  const { entry, settled, advised, refused } = buildBatch(fleet, [work], {
    entryId: '',
    writer: '',
    freshUpTo: Number.POSITIVE_INFINITY,
    newSeed: () => randomUUID().slice(0, 8),
    monotonic: () => performance.now(),
  })
  for (const { answer } of advised) answer()
  for (const { search } of refused) (yield* search(fleet)).answer()
  const answered = settled[0]?.outcome ?? outcome
  if (answered !== undefined) return answered
  if (entry === undefined) throw failed ?? new Error('a call that was tried out was neither answered nor placed')
  return { changes: entry.changes }
}
