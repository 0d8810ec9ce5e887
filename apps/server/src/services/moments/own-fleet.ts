import type { Fleet, Steps } from '@gantt/scheduler-core'
import { answerInPieces } from '../../event-loop/question.ts'

/**
 * Answers questions on one fleet in steps, one question after the other, because a question may hold tentative claims during its pauses.
 */
export interface OwnFleet {
  work<Answer>(use: (fleet: Fleet) => Steps<Answer>): Promise<Answer>
  /** For short synchronous reads. */
  read<Answer>(use: (fleet: Fleet) => Answer): Promise<Answer>
}

/** `fleet` is for exclusive use and is created when it is first read. */
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
