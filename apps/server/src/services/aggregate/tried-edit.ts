import { type AggregateChanged, appendInSteps, copyFleet, type Fleet, type Profile, type Steps } from '@gantt/scheduler-core'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'

/** Two copies of a fleet: one without the edit and one with it. */
export interface Sides {
  readonly now: Fleet
  readonly edited: Fleet
}

/** Copies the fleet twice: without a tried edit and with it. Throws InputFault if the aggregate was edited in the meantime. */
export const sidesOf = ({ fleet }: Replica, change: AggregateChanged): Promise<Sides> => answerYielding(sidesInSteps(fleet, change))

/**
 * The generator that `sidesOf` runs. The fleet can change between the yields of the generator. Both copies nevertheless have the state that
 * the fleet had at the start.
 */
export function* sidesInSteps(fleet: Fleet, change: AggregateChanged): Steps<Sides> {
  const now = copyFleet(fleet)
  yield
  const edited = copyFleet(now)
  yield
  const [verdict] = yield* appendInSteps(edited, [change])
  if (verdict !== undefined) throw InputFault.at(['ifVersion'], change.expectedVersion, 'the version that it has now')
  return { now, edited }
}

/**
 * Finds the profile that made an earlier decision, and returns its version that is active now. Throws RangeError if the profile no longer
 * exists.
 */
export function decidingNow({ profiles }: Fleet, ref: string): Profile {
  const profile = profiles.find(ref.slice(0, ref.lastIndexOf('@'))) ?? profiles.find(ref)
  if (profile === undefined) throw new RangeError(`there is no profile ${ref}`)
  return profile
}

/** Returns a function that runs tasks one at a time. The deadline of a task also runs while the task waits. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
