import { KeySourceError, UnreachableError } from './errors.ts'
import { causeOf, createTransport, readAnswer, type TransportOptions } from './transport.ts'

export interface ClientOptions extends TransportOptions {
  /** The time limit in milliseconds for a call, including its complete answer. The default is 60,000. */
  readonly deadlineMs?: number
}

export interface RequestOptions {
  /** The time limit of this call in milliseconds. If absent, the time limit of the client applies. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

/** An operation as text, or the id of an operation that the service has stored. `operationName` is only for logs. */
export type Operation = string | { readonly documentId: string; readonly operationName?: string }

/** A client that sends each call once, without retries. */
export interface Client {
  /**
   * Sends one GraphQL operation and returns its data. Expected failures are part of the data (result unions). Throws FaultError for
   * top-level errors, UnreachableError if there is no answer in time, and ProtocolError if the answer is not GraphQL. If the signal is
   * aborted, its reason is thrown.
   */
  request<Data>(operation: Operation, variables?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Data>
}

const DEADLINE_MS = 60_000
const ACCEPT = 'application/graphql-response+json, application/json'

/** Creates a client that calls a service over HTTP. The client works in Node and in browsers. */
export function createClient({ deadlineMs = DEADLINE_MS, ...options }: ClientOptions): Client {
  const { url } = options
  const transport = createTransport(options)
  return {
    async request<Data>(
      operation: Operation,
      variables: Readonly<Record<string, unknown>> = {},
      { deadlineMs: own, signal: stop }: RequestOptions = {},
    ) {
      const limit = own ?? deadlineMs
      const deadline = AbortSignal.timeout(Math.ceil(limit))
      const signal = stop === undefined ? deadline : AbortSignal.any([deadline, stop])
      let response: Response
      let text: string
      try {
        response = await transport(
          JSON.stringify({ ...(typeof operation === 'string' ? { query: operation } : operation), variables }),
          ACCEPT,
          signal,
        )
        text = await response.text()
      } catch (error) {
        stop?.throwIfAborted()
        if (error instanceof KeySourceError) throw error
        const why = deadline.aborted ? `no answer within ${Math.ceil(limit)} ms` : causeOf(error)
        throw new UnreachableError(`${url}: ${why}`, { cause: error })
      }
      return readAnswer<Data>(url, response, text)
    },
  }
}
