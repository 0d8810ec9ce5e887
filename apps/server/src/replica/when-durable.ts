import type { Place } from '@gantt/scheduler-core'
import type { Timers } from '../timers.ts'
import type { HeldAnswers } from './held-answers.ts'
import { UnavailableError } from './placement.ts'

/** Resolves once a place is durable. Throws UnavailableError when it is lost, or not durable in time. */
export const whenDurable = (held: HeldAnswers, place: Place, timers: Timers, timeoutMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const cancel = timers.after(timeoutMs, () =>
      reject(new UnavailableError('store', 'the store does not answer; what was read is not certain yet, ask again')),
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
