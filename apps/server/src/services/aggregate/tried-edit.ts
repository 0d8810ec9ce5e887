import { type AggregateChanged, appendInSteps, copyFleet, type Fleet, type Profile, type Steps } from '@gantt/scheduler-core'
import { answerInPieces } from '../../event-loop/question.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'

/** Two copies of a fleet: one without the edit and one with it. */
export interface Sides {
  readonly now: Fleet
  readonly edited: Fleet
}

/** Copies the fleet twice: without a tried edit and with it. Throws InputFault if the aggregate was edited in the meantime. */
export const sidesOf = ({ fleet }: Replica, change: AggregateChanged): Promise<Sides> => answerInPieces(sidesInSteps(fleet, change))

/** Does the same as `sidesOf` in a generator that yields. The fleet may change meanwhile: both copies have the state of the start. */
export function* sidesInSteps(fleet: Fleet, change: AggregateChanged): Steps<Sides> {
  const now = copyFleet(fleet)
  yield
  const edited = copyFleet(now)
  yield
  const [verdict] = yield* appendInSteps(edited, [change])
  if (verdict !== undefined) throw InputFault.at(['ifVersion'], change.expectedVersion, 'the version that it has now')
  return { now, edited }
}

/** The profile version that decides at present for the profile name of an earlier decision. Throws RangeError if there is none. */
export function decidingNow({ profiles }: Fleet, ref: string): Profile {
  const profile = profiles.find(ref.slice(0, ref.lastIndexOf('@'))) ?? profiles.find(ref)
  if (profile === undefined) throw new RangeError(`there is no profile ${ref}`)
  return profile
}

/** Runs tasks one at a time. While a task waits for its turn, its deadline keeps running. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
