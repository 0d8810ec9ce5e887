import { createSend } from './client.ts'
import type { Clock } from './clock.ts'
import type { Given, TypedDocument } from './documents/graphql.ts'
import { fieldsOf, nameOf, textOf } from './documents/text.ts'
import type { Route, Target } from './endpoints/endpoints.ts'
import type { Hedging } from './endpoints/hedging.ts'
import { sendCopies } from './endpoints/second-copy.ts'
import { mayHaveHappened, type RefusedError, UnknownOutcomeError } from './errors.ts'
import { AskAgain, type Attempt, type CallOptions, type Retry } from './retry.ts'
import type { Transport } from './transport.ts'

type Variables = Readonly<Record<string, unknown>>

/** What an answer to a call with an idempotency key means. */
export interface AnswerRules<Data> {
  /**
   * Returns the pause before a retry in milliseconds, and whether it is about all endpoints or only about the one that answered. Undefined
   * if the answer requires no retry.
   */
  askAgainAfter(data: Data): { readonly ms: number; readonly of: 'this endpoint' | 'all endpoints' } | undefined
  /**
   * Returns the answer as an error if it is a refusal. Other answers are stored under the key, so that another copy of the call would get
   * the same one. A refusal is not stored, so another copy of the call can still claim.
   */
  refusalOf(data: Data): RefusedError | undefined
}

/** Sends typed operations. Each operation is retried until it is answered or its deadline has passed. */
export interface Calls {
  /** Sends a call that is safe to retry because repeating it changes nothing. */
  ask<Data, Input extends Variables>(
    document: TypedDocument<Data, Input>,
    variables: Given<NoInfer<Input>> & Variables,
    options?: CallOptions,
  ): Promise<Data>
  /**
   * Sends a call that is safe to retry because it has an idempotency key. If it is slower than most calls of this operation, it is also
   * sent to another endpoint, with the same key. If the call fails or is refused, and one of its attempts may have taken effect or can still
   * do so, UnknownOutcomeError is thrown.
   */
  askWithKey<Data, Input extends Variables>(
    key: string,
    document: TypedDocument<Data, Input>,
    variables: Given<NoInfer<Input>> & Variables,
    options: CallOptions | undefined,
    rules: AnswerRules<NoInfer<Data>>,
  ): Promise<Data>
}

/** Sends one copy of a call. */
type SendTo<Data> = (target: Target, attempt: Attempt) => Promise<Data>
type OnFailure = (error: unknown) => void

/** Throws UnknownOutcomeError if the answer is a refusal, because it is not final: an earlier attempt can still claim. */
function unlessRefused<Data>(answer: Data, key: string, { refusalOf }: AnswerRules<Data>): Data {
  const refusal = refusalOf(answer)
  if (refusal !== undefined) throw new UnknownOutcomeError(key, refusal)
  return answer
}

export interface CallsOptions {
  readonly transport: Transport
  readonly retry: Retry
  readonly clock: Clock
  /** Undefined if no call may be sent twice because it is slow. */
  readonly hedging: Hedging | undefined
  readonly defaults: CallOptions
}

export function createCalls({ transport, retry, clock, hedging, defaults }: CallsOptions): Calls {
  const send = createSend(transport)

  /** Returns a function that makes the attempts of a call with a key, each with a second copy if it is slow. */
  const attemptsOf = <Data>(route: Route, operation: string, rules: AnswerRules<Data>, sendTo: SendTo<Data>, onFailure: OnFailure) => {
    let isHedged = false
    hedging?.countCall()
    /** Sends one copy. The pause that its answer requires is stored in the route. */
    const copy = async (target: Target, attempt: Attempt): Promise<Data | AskAgain<Data>> => {
      const data = await sendTo(target, attempt)
      const again = rules.askAgainAfter(data)
      if (again === undefined) return data
      if (again.of === 'this endpoint') target.stated(again.ms, 'this call')
      else route.waitEverywhere(again.ms)
      return new AskAgain(data, again.ms)
    }
    return async ({ deadlineMs, signal: stop }: Attempt): Promise<Data | AskAgain<Data>> => {
      const startedAt = clock.now()
      const target = route.next()
      const answer = await sendCopies<Data | AskAgain<Data>>({
        clock,
        slowAfterMs: isHedged ? undefined : hedging?.slowAfterMs(operation),
        ...(stop && { signal: stop }),
        isFinal: (given) => !(given instanceof AskAgain) && rules.refusalOf(given) === undefined,
        first: (signal) => copy(target, { deadlineMs, signal }),
        second: (signal, waitedMs) => {
          const other = route.other(target)
          if (other === undefined || !hedging?.takeCopy()) return undefined
          isHedged = true
          return copy(other(), { deadlineMs: Math.max(1, deadlineMs - waitedMs), signal })
        },
        onFailure,
      })
      hedging?.took(operation, clock.now() - startedAt)
      return answer
    }
  }

  return {
    ask<Data, Input extends Variables>(document: TypedDocument<Data, Input>, variables: Variables, options?: CallOptions) {
      const route = transport.endpoints.route()
      const attempt = (limits: Attempt): Promise<Data> => send(route.next(), textOf(document), variables, limits, fieldsOf(document))
      return retry({ ...defaults, ...options }, attempt, undefined, () => route.waitMs())
    },

    async askWithKey<Data, Input extends Variables>(
      key: string,
      document: TypedDocument<Data, Input>,
      variables: Variables,
      options: CallOptions | undefined,
      rules: AnswerRules<Data>,
    ) {
      const route = transport.endpoints.route()
      let isUncertain = false
      const noteFailure = (error: unknown): void => {
        isUncertain ||= mayHaveHappened(error)
      }
      const sendTo: SendTo<Data> = (target, attempt) => send(target, textOf(document), variables, attempt, fieldsOf(document))
      const attempt = attemptsOf(route, nameOf(document), rules, sendTo, noteFailure)
      let answer: Data
      try {
        answer = await retry({ ...defaults, ...options }, attempt, noteFailure, () => route.waitMs())
      } catch (error) {
        throw isUncertain ? new UnknownOutcomeError(key, error) : error
      }
      return isUncertain ? unlessRefused(answer, key, rules) : answer
    },
  }
}
