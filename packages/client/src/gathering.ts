import type { Clock } from './clock.ts'
import { linesIn } from './json-lines.ts'

/** One operation as it is sent: its text or its id, its variables, and its name. */
export interface OperationBody {
  readonly query?: string
  readonly documentId?: string
  readonly operationName?: string
  readonly variables?: Readonly<Record<string, unknown>>
}

/** An answer to one operation: as the text of a response, or as a parsed line of the answer to a list. */
export type Received = { readonly response: Pick<Response, 'status' | 'headers'> } & (
  | { readonly text: string }
  | { readonly answer: Readonly<Record<string, unknown>> }
)

/** Sends operations, and gathers those that wait while another request is under way. */
export interface Operations {
  /** Rejects as `fetch` does: with the signal's reason, or with an error of the network. */
  send(url: string, body: OperationBody, signal: AbortSignal): Promise<Received>
}

type Post = (url: string, body: string, accept: string, signal: AbortSignal) => Promise<Response>

interface Waiting {
  readonly body: OperationBody
  /** The operation as a part of a list. */
  readonly text: string
  readonly signal: AbortSignal
  readonly resolve: (received: Received | PromiseLike<Received>) => void
  readonly reject: (error: unknown) => void
}

/** What is known about an endpoint. */
interface Lane {
  readonly url: string
  /** The ids of documents that the endpoint has answered, by their texts. */
  readonly ids: Map<string, string>
  /** The endpoint accepts this many operations in one request. */
  most: number
  /** Lists are not sent before this time, because the endpoint refused one. */
  aloneUntil: number
  underWay: number
  waiting: Waiting[]
  timer: ReturnType<typeof setTimeout> | undefined
}

const ACCEPT = 'application/graphql-response+json, application/json'
const ACCEPT_LINES = `application/jsonl, ${ACCEPT}`
/** The header by which a service states how many operations it accepts in one request. Older services do not have it. */
const MAX_OPERATIONS = 'x-max-operations'
/** An operation waits for the answer to an earlier request for at most this many milliseconds. */
const MAX_WAIT_MS = 10
/** Operations with more characters are sent alone. A list of 64 of them is within the limit of a body. */
const MAX_CHARACTERS = 16 * 1024
/** The ids of this many documents are kept for each endpoint. */
const MAX_DOCUMENTS = 500
/** After an endpoint has refused a list, operations are sent alone for this many milliseconds. */
const ALONE_MS = 60_000

/**
 * Creates a sender. The first operation is sent at once and alone. Those that follow while its request is under way wait until that is
 * answered, at most for 10 ms, and are then sent in one request, if the endpoint accepts lists and knows their documents.
 */
export function createOperations(post: Post, { now }: Pick<Clock, 'now'>, isGathering: boolean): Operations {
  const lanes = new Map<string, Lane>()
  const laneOf = (url: string): Lane => {
    const known = lanes.get(url)
    if (known !== undefined) return known
    const lane = { url, ids: new Map(), most: 1, aloneUntil: -Infinity, underWay: 0, waiting: [], timer: undefined }
    lanes.set(url, lane)
    return lane
  }

  /** Does a request, and then sends the operations that waited for it. */
  const duringRequest = async <Result>(lane: Lane, work: () => Promise<Result>): Promise<Result> => {
    lane.underWay++
    try {
      return await work()
    } finally {
      lane.underWay--
      flush(lane)
    }
  }

  const sendAlone = (lane: Lane, body: OperationBody, signal: AbortSignal): Promise<Received> =>
    duringRequest(lane, async () => {
      const response = await post(lane.url, JSON.stringify(body), ACCEPT, signal)
      const text = await response.text()
      if (isGathering && response.status === 200) learn(lane, body, response.headers)
      return { response, text }
    })

  const flush = (lane: Lane): void => {
    clearTimeout(lane.timer)
    lane.timer = undefined
    while (lane.waiting.length > 0) {
      const batch = lane.waiting.splice(0, lane.most)
      const [first] = batch
      if (first !== undefined && batch.length === 1) sendAlone(lane, first.body, first.signal).then(first.resolve, first.reject)
      else void duringRequest(lane, () => sendList(lane, batch, { post, now, sendAlone }))
    }
  }

  return {
    async send(url, body, signal) {
      const lane = laneOf(url)
      const id = body.query === undefined ? undefined : lane.ids.get(body.query)
      if (id === undefined || lane.underWay === 0 || lane.most < 2 || now() < lane.aloneUntil) return await sendAlone(lane, body, signal)
      const { query: _query, ...others } = body
      const text = JSON.stringify({ documentId: id, ...others })
      if (text.length > MAX_CHARACTERS) return await sendAlone(lane, body, signal)
      signal.throwIfAborted()
      return await new Promise<Received>((resolve, reject) => {
        const leave = (): void => {
          lane.waiting = lane.waiting.filter((each) => each !== one)
          reject(signal.reason)
        }
        const one: Waiting = { body, text, signal, resolve, reject }
        signal.addEventListener('abort', leave, { once: true })
        lane.waiting.push(one)
        if (lane.waiting.length >= lane.most) flush(lane)
        else lane.timer ??= setTimeout(() => flush(lane), MAX_WAIT_MS)
      })
    },
  }
}

interface ListParts {
  readonly post: Post
  readonly now: Clock['now']
  sendAlone(lane: Lane, body: OperationBody, signal: AbortSignal): Promise<Received>
}

/** Sends a list, and settles its operations one after the other. */
async function sendList(lane: Lane, batch: readonly Waiting[], { post, now, sendAlone }: ListParts): Promise<void> {
  const open = new Set(batch)
  const stop = new AbortController()
  const close = (one: Waiting): boolean => {
    if (!open.delete(one)) return false
    if (open.size === 0) stop.abort()
    return true
  }
  const sendAgain = (one: Waiting): void => {
    if (open.delete(one)) one.resolve(sendAlone(lane, one.body, one.signal))
  }
  // the operation ends, and the request only if no other operation waits for it
  const leavers = batch.map((one) => () => void (close(one) && one.reject(one.signal.reason)))
  batch.forEach(({ signal }, i) => void signal.addEventListener('abort', leavers[i] as () => void))
  try {
    const response = await post(lane.url, `[${batch.map(({ text }) => text).join()}]`, ACCEPT_LINES, stop.signal)
    if (response.body === null || !response.headers.get('content-type')?.startsWith('application/jsonl')) {
      const text = await response.text()
      if (isRefusal(response.status)) {
        lane.aloneUntil = now() + ALONE_MS
        for (const one of [...open]) sendAgain(one)
      } else for (const one of [...open]) if (open.delete(one)) one.resolve({ response, text })
      return
    }
    for await (const line of linesIn(response.body)) {
      const { requestIndex, status, ...answer } = JSON.parse(line) as Readonly<Record<string, unknown>>
      const one = batch[Number(requestIndex)]
      if (one === undefined || typeof status !== 'number') throw new TypeError('a line of the answer belongs to no operation')
      if (isUnsent(answer)) {
        lane.ids.delete(one.body.query ?? '')
        sendAgain(one)
      } else if (open.delete(one)) one.resolve({ response: { status, headers: response.headers }, answer })
    }
    if (open.size > 0) throw new TypeError('the answer ended before the answers to all operations')
  } catch (error) {
    for (const one of open) one.reject(error)
  } finally {
    batch.forEach(({ signal }, i) => void signal.removeEventListener('abort', leavers[i] as () => void))
  }
}

/** Remembers that an endpoint knows a document, and how many operations it accepts in one request. */
function learn(lane: Lane, { query }: OperationBody, headers: Headers): void {
  lane.most = Math.max(1, Math.floor(Number(headers.get(MAX_OPERATIONS) ?? 1)) || 1)
  // browsers have no hashes on pages that are not secure
  if (query === undefined || lane.most < 2 || lane.ids.has(query) || globalThis.crypto?.subtle === undefined) return
  void idOf(query).then((id) => {
    if (lane.ids.size >= MAX_DOCUMENTS) lane.ids.clear()
    lane.ids.set(query, id)
  })
}

/** The id of a document: `sha256:` and the hash of its text. */
async function idOf(text: string): Promise<string> {
  const hash = await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `sha256:${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** True if an answer without lines says that the list was refused, so that nothing of it was done. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && ![401, 408, 425, 429].includes(status)

/** True if an operation was refused only because it was in a list, so that nothing of it was done. */
function isUnsent({ errors }: Readonly<Record<string, unknown>>): boolean {
  const [first] = Array.isArray(errors)
    ? (errors as readonly { readonly extensions?: { readonly code?: unknown; readonly rule?: unknown } }[])
    : []
  const { code, rule } = first?.extensions ?? {}
  return code === 'PERSISTED_DOCUMENT_NOT_FOUND' || (typeof rule === 'string' && rule.startsWith('list.'))
}
