import { ADMIN_KEY, type Service } from '../processes/service.ts'
import type { Call } from './draw-document.ts'

/** The timeout of a call, milliseconds. */
const TIMEOUT_MS = 90_000

/** Refusals with these types come after a decision. All other refusals come before anything is decided or written. */
const DECIDED: ReadonlySet<unknown> = new Set(['NoValidHost', 'InstanceTaken'])

/** An error of a root field with one of these codes comes before anything is decided or written. */
const REFUSING: ReadonlySet<string> = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'FORBIDDEN', 'FEATURE_LEVEL'])

/** How a call ended. */
export interface End {
  readonly type: 'answered' | 'refused' | 'left'
  /** Whether at least one root field has an answer that is not a refusal. */
  readonly isAccepted: boolean
  /** False if the whole call was refused before anything was decided or written. It can be true for a query too. */
  readonly mayHaveActed: boolean
  /** A description of the defect in the answer. Undefined if there is none. */
  readonly why: string | undefined
}

/** Sends a call and reads its answer. `gone` disconnects the caller. */
export async function send(
  { url }: Pick<Service, 'url'>,
  call: Call,
  gone: AbortSignal | undefined,
  refusals: ReadonlySet<string>,
): Promise<End> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const closed = new AbortController()
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        'content-type': 'application/json',
        ...(call.chunks !== undefined && { accept: 'text/event-stream' }),
      },
      body: JSON.stringify({ query: call.document, variables: call.variables }),
      signal: AbortSignal.any([timeout, closed.signal, ...(gone === undefined ? [] : [gone])]),
    })
    const text = call.chunks === undefined ? await response.text() : await readChunks(response, call.chunks)
    const why = /"code":"INTERNAL".{0,200}/.exec(text)?.[0]
    const isRefused = !response.ok || text.startsWith('{"errors"') || text.includes('"errors":[')
    if (call.chunks !== undefined) return { type: isRefused ? 'refused' : 'answered', isAccepted: !isRefused, mayHaveActed: false, why }
    return { type: isRefused ? 'refused' : 'answered', ...effectOf(text, refusals), why }
  } catch (error) {
    if (gone?.aborted === true) return { type: 'left', isAccepted: false, mayHaveActed: true, why: undefined }
    const why = timeout.aborted
      ? `no answer within ${TIMEOUT_MS} ms`
      : error instanceof Error
        ? String(error.cause ?? error)
        : String(error)
    return { type: 'refused', isAccepted: false, mayHaveActed: true, why }
  } finally {
    // closes a subscription
    closed.abort()
  }
}

/** Reads the response body until this many chunks have arrived, or the body ends. */
async function readChunks({ body }: Response, chunks: number): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let text = ''
  for (let read = 0; read < chunks; read++) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  return text
}

interface Answer {
  readonly data?: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly path?: readonly unknown[]; readonly extensions?: { readonly code?: string } }[]
}

function effectOf(text: string, refusals: ReadonlySet<string>): Pick<End, 'isAccepted' | 'mayHaveActed'> {
  const { data, errors = [] } = JSON.parse(text) as Answer
  const roots = Object.values(data ?? {}).flat()
  const isAccepted = roots.some((root) => root !== null && !isRefusal(root, refusals))
  // an error in the answer to a mutation can hide what the mutation did
  const isLate = errors.some(({ path = [], extensions }) => path.length > 1 || !REFUSING.has(extensions?.code ?? ''))
  return { isAccepted, mayHaveActed: isAccepted || isLate }
}

function isRefusal(root: unknown, refusals: ReadonlySet<string>): boolean {
  if (typeof root !== 'object' || root === null) return false
  if ('appliedCount' in root) return root.appliedCount === 0
  return '__typename' in root && !DECIDED.has(root.__typename) && refusals.has(String(root.__typename))
}
