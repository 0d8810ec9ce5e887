import type { Client } from './client.ts'
import type { Given, TypedDocument } from './documents/graphql.ts'
import { textOf } from './documents/text.ts'
import { mayHaveHappened, UnknownOutcomeError } from './errors.ts'
import { AskAgain, type CallOptions, type Retry } from './retry.ts'

type Variables = Readonly<Record<string, unknown>>

/** Sends typed operations. Each operation is retried until it is answered or its deadline has passed. */
export interface Calls {
  /** Sends a call that is safe to retry because repeating it changes nothing. */
  ask<Data, Input extends Variables>(
    document: TypedDocument<Data, Input>,
    variables: Given<NoInfer<Input>> & Variables,
    options?: CallOptions,
  ): Promise<Data>
  /**
   * Sends a call that is safe to retry because it has an idempotency key. `askAgainAfter` returns the pause before a retry in milliseconds,
   * or undefined if the answer requires no retry. If the call fails, and one of its attempts may have taken effect, UnknownOutcomeError is
   * thrown.
   */
  askWithKey<Data, Input extends Variables>(
    key: string,
    document: TypedDocument<Data, Input>,
    variables: Given<NoInfer<Input>> & Variables,
    options: CallOptions | undefined,
    askAgainAfter: (data: Data) => number | undefined,
  ): Promise<Data>
}

export function createCalls(client: Client, retry: Retry, defaults: CallOptions): Calls {
  return {
    ask: (document, variables, options) =>
      retry({ ...defaults, ...options }, (attempt) => client.request(textOf(document), variables, attempt)),

    async askWithKey<Data, Input extends Variables>(
      key: string,
      document: TypedDocument<Data, Input>,
      variables: Given<NoInfer<Input>> & Variables,
      options: CallOptions | undefined,
      askAgainAfter: (data: Data) => number | undefined,
    ) {
      let isUncertain = false
      const attempt = async (given: CallOptions): Promise<Data | AskAgain<Data>> => {
        const data = await client.request<Data>(textOf(document), variables, given)
        const afterMs = askAgainAfter(data)
        return afterMs === undefined ? data : new AskAgain(data, afterMs)
      }
      try {
        return await retry({ ...defaults, ...options }, attempt, (error) => {
          isUncertain ||= mayHaveHappened(error)
        })
      } catch (error) {
        throw isUncertain ? new UnknownOutcomeError(key, error) : error
      }
    },
  }
}
