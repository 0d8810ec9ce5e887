import { createClient, FaultError } from '@gantt/client'
import { keepPreviousData, QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query'
import { fetchAndRead } from './clock.ts'
import { POLL_INTERVAL_MS } from './contact.ts'
import type { ResultOf, VariablesOf } from './graphql.ts'
import { useMoment } from './moment.ts'
import { currentSession, followSession, signOut } from './session.ts'
import { isTimeout } from './timeout.ts'
import { currentAt, WritesOffError } from './travel.ts'
import { contact } from './use-freshness.ts'
import { headerOf, type Operation, sendsTextNow, wireOf } from './wire.ts'

/** The URL of the API. The service that has the API also serves the console. */
export const graphqlUrl = (): string => new URL('/graphql', location.href).href

/** A request fails if there is no answer within this many milliseconds. The operator can then retry. */
const DEADLINE_MS = { query: 15_000, mutation: 65_000 } as const

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** The timeout in milliseconds. The default is in DEADLINE_MS. */
  readonly deadlineMs?: number | undefined
}

/**
 * Runs one operation and returns its data. Throws FaultError, UnreachableError (for example if no answer arrives in time) or ProtocolError
 * of the client package. An unknown key signs the operator out, but the page stays. While the page shows the past, changes are not sent:
 * throws WritesOffError.
 */
export async function request<Doc extends Operation>(
  document: Doc,
  variables: VariablesOf<Doc>,
  { signal, deadlineMs }: RequestOptions = {},
): Promise<ResultOf<Doc>> {
  const at = currentAt()
  const { kind } = headerOf(document)
  if (at !== undefined && kind === 'mutation') throw new WritesOffError(at)
  const { key } = currentSession()
  const client = createClient({ url: graphqlUrl(), fetch: fetchAndRead, ...(key === undefined ? {} : { key }) })
  const send = (): Promise<ResultOf<Doc>> =>
    client.request<ResultOf<Doc>>(wireOf(document), variables as Record<string, unknown>, {
      deadlineMs: deadlineMs ?? DEADLINE_MS[kind === 'mutation' ? kind : 'query'],
      ...(signal ? { signal } : {}),
    })
  try {
    return await send().catch((error: unknown) => {
      if (sendsTextNow(error)) return send()
      throw error
    })
  } catch (error) {
    if (isUnauthenticated(error) && currentSession().key === key) signOut('unknown-key')
    throw error
  }
}

export interface OperationOptions {
  readonly enabled?: boolean
  /** True if the old data stays visible while data for other variables is loading. The default is true. */
  readonly keepPrevious?: boolean
  /**
   * An answer is not requested again within this many milliseconds. The default is 1,000. With `static` the answer is never requested
   * again, even after changes.
   */
  readonly staleMs?: number | 'static'
  /** The interval of automatic reads in milliseconds, while the page is visible. If absent, there are no automatic reads. */
  readonly everyMs?: number
  /** The timeout in milliseconds. The default is that of queries in DEADLINE_MS. */
  readonly deadlineMs?: number
}

/**
 * A hook that runs a query. While new data is loading, the page still shows the old data, but dimmed. If the query has the variable `$at`,
 * it gets the moment in the URL. A query about the past is not repeated automatically, because the past does not change.
 */
export function useOperation<Doc extends Operation>(
  document: Doc,
  variables: VariablesOf<Doc>,
  options: OperationOptions = {},
): UseQueryResult<ResultOf<Doc>> {
  const { enabled = true, keepPrevious = true, staleMs = 1_000, everyMs, deadlineMs } = options
  const { asked, isPast } = useMoment(document, variables)
  return useQuery<ResultOf<Doc>>({
    queryKey: operationKey(document, asked),
    queryFn: ({ signal }) => request(document, asked, { signal, deadlineMs }),
    enabled,
    staleTime: isPast && staleMs !== 'static' ? Number.POSITIVE_INFINITY : staleMs,
    ...(everyMs === undefined || isPast ? {} : { refetchInterval: pollEvery(everyMs) }),
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
  } as Parameters<typeof useQuery<ResultOf<Doc>>>[0])
}

/**
 * The interval of automatic reads. If the first request timed out, there are no automatic reads. The error and its button then stay on the
 * page until the operator retries or contact is restored.
 */
export const pollEvery =
  (everyMs: number) =>
  ({ state: { data, error } }: { readonly state: { readonly data: unknown; readonly error: unknown } }): number | false =>
    data === undefined && isTimeout(error) ? false : everyMs

/** The cache key of an answer: the name of the operation and, if they are given, its variables. */
export const operationKey = <Doc extends Operation>(document: Doc, variables?: VariablesOf<Doc>): readonly unknown[] =>
  variables === undefined ? [headerOf(document).name] : [headerOf(document).name, variables]

export const queryClient = new QueryClient({
  defaultOptions: {
    // requests are sent even if the browser reports that it is offline, because the service can be reachable without the internet
    mutations: { networkMode: 'always' },
    queries: { networkMode: 'always', retry: (count, error) => count < 2 && mayRetry(error), refetchOnWindowFocus: true },
  },
})

/**
 * True if a failed query is retried automatically. Refusals and timeouts are not retried: the page shows them with a button to try again.
 */
const mayRetry = (error: unknown): boolean => !(error instanceof FaultError) && !isTimeout(error)

/**
 * The metadata of a query for a list that a stream updates. The query is not repeated when contact is restored, because the rows must not
 * move while an operator reads them.
 */
export const BY_STREAM = { isByStream: true }

setInterval(contact.look, POLL_INTERVAL_MS)
// nothing is read automatically in a hidden tab
document.addEventListener('visibilitychange', contact.resume)
// when contact is restored, missed changes are read at once, and not only at the next interval
contact.onReturn(() => void queryClient.invalidateQueries({ predicate: ({ meta }) => meta?.isByStream !== true }))

// after signing in, all data is read again: another operator can have signed in, or the last answers can be refusals of the former key
followSession(() => {
  const { key, reason } = currentSession()
  if (reason === 'signed-out') queryClient.clear()
  if (key === undefined) return
  queryClient.removeQueries({ type: 'inactive' })
  void queryClient.invalidateQueries()
})

const isUnauthenticated = (error: unknown): boolean =>
  error instanceof FaultError && error.faults.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED')
