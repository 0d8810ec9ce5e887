import type { Fleet, Steps } from '@gantt/scheduler-core'
import { answerInPieces } from '../../event-loop/question.ts'

/** Runs functions on one fleet, one after the other, because a function can hold tentative claims on the fleet while it yields. */
export interface OwnFleet {
  work<Answer>(use: (fleet: Fleet) => Steps<Answer>): Promise<Answer>
  /** Runs a short synchronous read. */
  read<Answer>(use: (fleet: Fleet) => Answer): Promise<Answer>
}

/** `fleet` is called at the first use. Nothing else may use the fleet that it returns. */
export function createOwnFleet(fleet: () => Fleet | Promise<Fleet>): OwnFleet {
  let made: Promise<Fleet> | undefined
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <Answer>(use: (fleet: Fleet) => Answer | Promise<Answer>): Promise<Answer> => {
    const answer = last.then(async () => {
      made ??= Promise.resolve(fleet())
      return use(await made)
    })
    last = answer.catch(() => undefined)
    return answer
  }
  return { work: (use) => inTurn((own) => answerInPieces(use(own))), read: inTurn }
}
