import type { Clock } from './clock.ts'
import { createEndpoints, type Endpoints } from './endpoints/endpoints.ts'
import { KeySourceError } from './errors.ts'
import { createOperations, type Operations } from './gathering.ts'
import { createHiddenKeys, type HiddenKeys } from './hidden-keys.ts'
import { createKeyring, type KeySource } from './keys.ts'

export interface TransportOptions {
  /**
   * The URL of the service's GraphQL endpoint, such as http://127.0.0.1:4400/graphql. In browsers it can be a path. A list has the endpoints
   * of several replicas of one service, in the order of preference: calls go to the first one. If it fails, retries and later calls go to
   * the next one, and the failed one is avoided for 5 s (longer after each further failure in a row, at most 60 s). All attempts of a call
   * have the same idempotency key.
   */
  readonly url: string | readonly string[]
  /** The API key, which is sent as `Authorization: Bearer KEY`. */
  readonly key?: KeySource
  /** A replacement for `fetch`, for tests and for platforms with their own implementation. */
  readonly fetch?: typeof globalThis.fetch
  /**
   * If false, each operation is sent in a request of its own. Otherwise, operations that are called while an earlier request to the endpoint
   * is under way are sent together when it is answered, at most 10 ms later, if the service accepts lists and knows their documents.
   */
  readonly isGathering?: boolean
}

export interface Transport {
  readonly endpoints: Endpoints
  /** Removes the API keys from what errors show. */
  readonly hidden: HiddenKeys
  /** Sends operations of calls, several of them in one request if many are called at the same time. */
  readonly operations: Operations
  /**
   * Sends a body with the present key to an endpoint. If the service refuses the key, the key is read again, and the body is
   * sent once more with the new key. Throws KeySourceError for a key with characters that an HTTP header cannot have; such a key is never
   * sent.
   */
  post(url: string, body: string, accept: string, signal: AbortSignal): Promise<Response>
}

/** Creates a transport. Throws RangeError for a URL that is not http or https, for a repeated URL, and for an empty list of URLs. */
export function createTransport(
  { url: urls, key, fetch = globalThis.fetch, isGathering = true }: TransportOptions,
  clock: Pick<Clock, 'now'>,
): Transport {
  const hidden = createHiddenKeys()
  const keys = createKeyring(key, hidden)
  const post: Transport['post'] = async (url, body, accept, signal) => {
    const send = (bearer: string | undefined): Promise<Response> => {
      // An invalid key is refused here, because the error message of fetch would contain the key.
      if (bearer !== undefined && /[^\t\x20-\x7e]/.test(bearer.trim()))
        throw new KeySourceError('the key contains a line break or another character that an HTTP header cannot contain')
      return fetch(url, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json', ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }) },
        body,
        signal,
      })
    }
    const bearer = await keys.present()
    const response = await send(bearer)
    if (response.status !== 401) return response
    const next = await keys.insteadOf(bearer)
    if (next === undefined) return response
    await response.body?.cancel()
    return await send(next)
  }
  return { endpoints: createEndpoints(urls, clock), hidden, post, operations: createOperations(post, clock, isGathering) }
}

/**
 * Returns why a request failed. The reason is in the `cause` of the error that fetch throws, because the message of this error is only
 * `fetch failed`.
 */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
