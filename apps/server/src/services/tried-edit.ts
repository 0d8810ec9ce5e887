import { type AggregateChanged, appendInSteps, copyFleet, type Fleet, type Profile, type Steps } from '@gantt/scheduler-core'
import { answerInPieces } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import { InputFault } from './outcome.ts'

/** The fleet as it is, and as it would be. */
export interface Sides {
  readonly now: Fleet
  readonly edited: Fleet
}

/** Copies of the fleet without an edit that was only tried, and with it. Throws InputFault where somebody was faster. */
export const sidesOf = ({ fleet }: Replica, change: AggregateChanged): Promise<Sides> => answerInPieces(sidesInSteps(fleet, change))

/** The same with pauses, during which the fleet may move on: both copies are of one state. */
export function* sidesInSteps(fleet: Fleet, change: AggregateChanged): Steps<Sides> {
  const now = copyFleet(fleet)
  yield
  const edited = copyFleet(now)
  yield
  const [verdict] = yield* appendInSteps(edited, [change])
  if (verdict !== undefined) throw InputFault.at(['ifVersion'], change.expectedVersion, 'the version that it has now')
  return { now, edited }
}

/** The version that decides at present under the name by which a request was decided. Throws RangeError where there is none. */
export function decidingNow({ profiles }: Fleet, ref: string): Profile {
  const profile = profiles.find(ref.slice(0, ref.lastIndexOf('@'))) ?? profiles.find(ref)
  if (profile === undefined) throw new RangeError(`there is no profile ${ref}`)
  return profile
}

/** Runs what is given one at a time: others wait, and their time runs. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }
}
