import type { Fleet, Steps } from '@gantt/scheduler-core'
import { answerInPieces } from '../replica/question.ts'

/** Answers questions on one fleet, step by step and one question after the other: at its pauses a question may hold there what it only tries. */
export interface OwnFleet {
  work<Answer>(use: (fleet: Fleet) => Steps<Answer>): Promise<Answer>
  /** What takes no time. */
  read<Answer>(use: (fleet: Fleet) => Answer): Promise<Answer>
}

/** `fleet`: nobody else writes it, or holds anything in it; it is made when it is asked for first. */
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
