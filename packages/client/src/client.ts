import { dataIn, readAnswer } from './answer.ts'
import { systemClock } from './clock.ts'
import type { Target } from './endpoints/endpoints.ts'
import { isOfEndpoint, KeySourceError, retryAfter, UnreachableError } from './errors.ts'
import type { OperationBody, Received } from './gathering.ts'
import { causeOf, createTransport, type Transport, type TransportOptions } from './transport.ts'

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

/** A client that sends each call once, without retries, to the first endpoint that did not fail lately. */
export interface Client {
  /**
   * Sends one GraphQL operation and returns its data. Expected failures are part of the data (result unions). Throws FaultError for
   * top-level errors, UnreachableError if there is no answer in time, and ProtocolError if the answer is not GraphQL. If the signal is
   * aborted, its reason is thrown.
   */
  request<Data>(operation: Operation, variables?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Data>
}

const DEADLINE_MS = 60_000

/** Creates a client that calls a service over HTTP. The client works in Node and in browsers. */
export function createClient({ deadlineMs, ...options }: ClientOptions): Client {
  return clientOf(createTransport(options, systemClock), deadlineMs)
}

/** Creates a client that shares a transport with other calls, and with it the knowledge about endpoints and keys. */
export function clientOf(transport: Transport, deadlineMs = DEADLINE_MS): Client {
  const send = createSend(transport)
  return {
    request: (operation, variables = {}, { deadlineMs: own = deadlineMs, signal } = {}) =>
      send(transport.endpoints.route().next(), operation, variables, { deadlineMs: own, ...(signal && { signal }) }),
  }
}

/**
 * Sends one operation to an endpoint, and reports to the endpoint how that ended. Throws in the same cases as `Client.request`, and
 * ProtocolError if the data of the answer lacks one of the fields.
 */
export type Send = <Data>(
  target: Target,
  operation: Operation,
  variables: Readonly<Record<string, unknown>>,
  limits: Limits,
  fields?: readonly string[],
) => Promise<Data>

type Limits = Required<Pick<RequestOptions, 'deadlineMs'>> & Pick<RequestOptions, 'signal'>

export function createSend(transport: Transport): Send {
  return async <Data>(
    target: Target,
    operation: Operation,
    variables: Readonly<Record<string, unknown>>,
    limits: Limits,
    fields: readonly string[] = [],
  ) => {
    try {
      const data = await exchange<Data>(
        transport,
        target.url,
        { ...(typeof operation === 'string' ? { query: operation } : operation), variables },
        limits,
        fields,
      )
      target.answered()
      return data
    } catch (error) {
      if (limits.signal?.aborted !== true && !(error instanceof KeySourceError)) reportFailure(target, error)
      throw error
    }
  }
}

/** Sends one operation to an address. The data of the answer must have the fields. */
export async function exchange<Data>(
  { operations, hidden }: Transport,
  url: string,
  body: OperationBody,
  { deadlineMs, signal: stop }: Limits,
  fields: readonly string[] = [],
): Promise<Data> {
  const deadline = AbortSignal.timeout(Math.ceil(deadlineMs))
  const signal = stop === undefined ? deadline : AbortSignal.any([deadline, stop])
  let received: Received
  try {
    received = await operations.send(url, body, signal)
  } catch (error) {
    stop?.throwIfAborted()
    if (error instanceof KeySourceError) throw error
    const cause = hidden.inError(error)
    const why = deadline.aborted ? `no answer within ${Math.ceil(deadlineMs)} ms` : causeOf(cause)
    throw new UnreachableError(`${url}: ${why}`, { cause })
  }
  const source = { url, response: received.response, hidden }
  return 'text' in received ? readAnswer<Data>(source, received.text, fields) : dataIn<Data>(source, received.answer, fields)
}

/** Reports an error of an attempt to the endpoint. Most errors are answers, which show that the endpoint works. */
export function reportFailure(target: Target, error: unknown): void {
  if (isOfEndpoint(error)) target.failed()
  else target.answered()
  const waitMs = retryAfter(error)
  if (waitMs !== undefined && waitMs > 0) target.stated(waitMs, 'all calls')
}
