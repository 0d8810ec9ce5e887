import type { ExecutionResult, GraphQLError } from 'graphql'
import { CallerGoneError } from '../../../event-loop/query.ts'
import type { AnswerSize } from '../../../schema/types/answer-size.ts'
import { fault } from '../../../schema/types/faults.ts'
import { jsonWithPauses } from '../../json-with-pauses.ts'
import { limits, overLimit } from '../../limits.ts'

/** The size of one call's answer, or of the next event of a stream. */
export interface Answer extends AnswerSize {
  /** How many bytes were counted so far. */
  readonly bytes: number
  /** The error that the caller gets if the answer is too large; undefined as long as it is not. */
  readonly fault: GraphQLError | undefined
  /** Records that the caller received the answer or disconnected. From then on the answer uses no memory. */
  end(): void
}

/** The answers that a replica is computing or sending. */
export interface Answers {
  /** How many bytes all answers of the replica have together. */
  readonly bytes: number
  /** Begins an answer. `stop` is called if the answer becomes too large, and ends the work on it. */
  begin(stop?: () => void): Answer
}

export interface AnswerLimits {
  readonly answerBytes: number
  readonly answersBytes: number
  readonly smallAnswerBytes: number
}

export function createAnswers({ answerBytes, answersBytes, smallAnswerBytes }: AnswerLimits = limits): Answers {
  let all = 0
  const begin = (stop: () => void = () => undefined): Answer => {
    let bytes = 0
    let known: GraphQLError | undefined
    let lastEvent: unknown
    let isEnded = false
    const turnTo = (event: unknown): void => {
      if (event === lastEvent) return
      // a stream requests its next event only when it has sent the last one, so the last one no longer uses memory
      all -= bytes
      bytes = 0
      known = undefined
      lastEvent = event
    }
    const refuse = (why: GraphQLError): never => {
      all -= bytes
      bytes = 0
      known = why
      // a call ends here, but a stream continues with its next event
      if (lastEvent === undefined) stop()
      throw why
    }
    return {
      most: answerBytes,
      get bytes() {
        return bytes
      },
      get fault() {
        return known
      },
      check(event) {
        turnTo(event)
        if (known !== undefined) throw known
      },
      add(more, event, isMutation) {
        turnTo(event)
        if (known !== undefined) throw known
        if (isEnded) throw new CallerGoneError()
        bytes += more
        all += more
        if (bytes > answerBytes) refuse(tooLarge(answerBytes, isMutation))
        if (all > answersBytes && bytes > smallAnswerBytes) refuse(tooMany(all, answersBytes, isMutation))
      },
      end() {
        isEnded = true
        all -= bytes
        bytes = 0
      },
    }
  }
  return {
    get bytes() {
      return all
    },
    begin,
  }
}

const done = (isMutation: boolean): string => (isMutation ? ' The changes of the call are kept.' : '')

const tooLarge = (most: number, isMutation: boolean): GraphQLError =>
  overLimit(
    'answer',
    `more than ${most} bytes`,
    most,
    `The answer has more than ${most} bytes; at most ${most} are allowed. Ask for smaller pages, fewer fields or fewer aliases.${done(isMutation)}`,
  )

const tooMany = (found: number, most: number, isMutation: boolean): GraphQLError =>
  fault(
    'RATE_LIMITED',
    `The answers that this replica is computing or sending have ${found} bytes together; at most ${most} are allowed. Ask again later, for less at once, or another replica.${done(isMutation)}`,
    { rule: 'limit.answers', found: String(found), allowed: `at most ${most}`, retryAfterMs: 1_000 },
  )

/** Answers with fewer bytes are written without yielding. */
const WRITTEN_AT_ONCE = 256 * 1024

/** A result for the GraphQL server. Long parts have already been written as text, slice by slice. */
export type WrittenResult = ExecutionResult & { readonly stringify?: (result: ExecutionResult) => string }

/**
 * Writes a long answer, and yields after each chunk. Throws CallerGoneError if the caller disconnects, and GraphQLError if the answer is
 * too large.
 */
export async function writeWithPauses(result: ExecutionResult, answer: Answer): Promise<WrittenResult> {
  if (answer.bytes < WRITTEN_AT_ONCE || !result.data) return result
  const data = await jsonWithPauses(result.data, answer.most)
  if (data === undefined) throw tooLarge(answer.most, false)
  return {
    ...result,
    stringify: ({ data: _, ...others }) => {
      const rest = JSON.stringify(others)
      return `{"data":${data}${rest === '{}' ? '' : `,${rest.slice(1, -1)}`}}`
    },
  }
}
