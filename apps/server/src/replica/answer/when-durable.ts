import type { Place } from '@gantt/scheduler-core'
import type { Timers } from '../../timers.ts'
import { UnavailableError } from '../../unavailable.ts'
import type { HeldAnswers } from './held-answers.ts'

/** Resolves when a log position is durable. Throws UnavailableError if the position is lost, or not durable in time. */
export const whenDurable = (held: HeldAnswers, place: Place, timers: Timers, timeoutMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancel = timers.after(timeoutMs, () =>
      reject(new UnavailableError('store', 'the store does not answer; the read state is not durable yet, send the call again')),
    )
    held.hold({
      place,
      answer: () => {
        cancel()
        resolve()
      },
      fail: (error) => {
        cancel()
        reject(error)
      },
    })
  })
