import { type Fault, FaultError, ProtocolError, UnreachableError } from './errors.ts'

export interface ClientOptions {
  /** The service's GraphQL address, e.g. http://127.0.0.1:4000/graphql. */
  readonly url: string
  /** Sent as `Authorization: Bearer KEY`. */
  readonly key?: string
  /** How long a call waits for its whole answer, milliseconds; 60,000 if not given. */
  readonly deadlineMs?: number
  /** For tests and for platforms with a `fetch` of their own. */
  readonly fetch?: typeof globalThis.fetch
}

export interface RequestOptions {
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
}

export interface Client {
  /**
   * One GraphQL operation. Answers its data; expected ends are data too (result unions). Throws FaultError for top-level
   * errors, UnreachableError when no answer came in time, ProtocolError when the answer is not GraphQL. Never repeats a call.
   */
  request<Data>(document: string, variables?: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<Data>
}

const DEADLINE_MS = 60_000

/** Calls of a service over HTTP, in Node and in browsers. */
export function createClient({ url, key, deadlineMs = DEADLINE_MS, fetch = globalThis.fetch }: ClientOptions): Client {
  const headers = {
    accept: 'application/graphql-response+json, application/json',
    'content-type': 'application/json',
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  }
  return {
    async request<Data>(document: string, variables: Readonly<Record<string, unknown>> = {}, options: RequestOptions = {}) {
      const limit = options.deadlineMs ?? deadlineMs
      const deadline = AbortSignal.timeout(limit)
      const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal])
      let response: Response
      let text: string
      try {
        response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query: document, variables }), signal })
        text = await response.text()
      } catch (error) {
        if (options.signal?.aborted) throw error
        const why = deadline.aborted ? `no answer within ${limit} ms` : causeOf(error)
        throw new UnreachableError(`${url}: ${why}`, { cause: error })
      }
      return readAnswer<Data>(url, response.status, text)
    },
  }
}

function readAnswer<Data>(url: string, status: number, text: string): Data {
  let answer: { readonly data?: Data | null; readonly errors?: readonly Fault[] }
  try {
    answer = JSON.parse(text)
  } catch {
    throw new ProtocolError(`${url} answered ${status} with ${JSON.stringify(text.slice(0, 80))}; it must be JSON`, status)
  }
  if (answer?.errors !== undefined && answer.errors.length > 0) throw new FaultError(answer.errors, status)
  if (answer?.data === undefined || answer.data === null)
    throw new ProtocolError(`${url} answered ${status} with neither data nor errors`, status)
  return answer.data
}

/** `fetch failed` says nothing: the reason is in its cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  return cause.message || ('code' in cause ? String(cause.code) : cause.name)
}
