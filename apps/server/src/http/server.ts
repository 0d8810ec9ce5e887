import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GraphQLError } from 'graphql'
import { findCaller, mayDo } from '../auth/caller.ts'
import { CallEnd } from '../event-loop/call-end.ts'
import { turns } from '../event-loop/pauses.ts'
import { duringCall } from '../event-loop/query.ts'
import { fault } from '../schema/types/faults.ts'
import type { ApiKeyStore } from '../stores/api-keys.ts'
import { UnavailableError } from '../unavailable.ts'
import type { ConsoleHandler } from './console.ts'
import type { Call } from './graphql/call.ts'
import { createDocumentTexts } from './graphql/document-cache.ts'
import type { Documents } from './graphql/documents.ts'
import type { GraphqlHandler } from './graphql/graphql.ts'
import { type Answer, createAnswers } from './graphql/limits/answer-size.ts'
import { type Bodies, createBodies } from './graphql/limits/bodies.ts'
import { readParams } from './graphql/limits/body.ts'
import { defectBehind, toFault } from './graphql/masking.ts'
import { limits } from './limits.ts'

export interface HttpOptions {
  readonly host: string
  /** The port; 0: any free port. */
  readonly port: number
  /** Counts the bodies of calls. Absent: the limits of `limits`. */
  readonly bodies?: Bodies
  /** At most this many connections may be open. Absent: the limit of `limits`. */
  readonly connections?: number
  /** The time in which a caller must read its whole answer, in milliseconds. Absent: the limit of `limits`. */
  readonly answerMs?: number
  /** Gets warnings for operators with the reason of a failed call. */
  warn(message: string): void
}

/** The handlers of calls, which are set when the service is ready. */
export interface HttpParts {
  readonly graphql: GraphqlHandler
  readonly console: ConsoleHandler
  /** Operations that can be sent by their ids. */
  readonly documents: Documents
  readonly keys: Pick<ApiKeyStore, 'verify'>
  /** The page for Prometheus. */
  metrics(): Promise<string>
  /** Why the service cannot answer calls at present; undefined if it can. */
  notReady(): string | undefined
  /** Ends open streams, which would never end by themselves. */
  endStreams(): void
}

export interface HttpServer {
  /** The URL for callers. */
  readonly url: string
  /** Sets the reason why the service is not ready yet. */
  starting(why: string): void
  /** Starts to answer calls. */
  open(parts: HttpParts): void
  /** Accepts no further calls, lets running ones finish, and ends streams. */
  close(): Promise<void>
}

/** The content type of Prometheus' text format. */
const METRICS_HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }

/** Ends connections that send no request, or send a request too slowly. */
const CONNECTION_LIMITS = {
  maxHeaderSize: limits.headerBytes,
  headersTimeout: limits.headersMs,
  requestTimeout: limits.requestMs,
  keepAliveTimeout: limits.idleMs,
  connectionsCheckingInterval: limits.lateCheckMs,
}

/** The time for running calls to finish after the server began to close. */
const DRAIN_MS = 65_000

/**
 * Serves the console, /graphql, /metrics, /live and /ready. Before `open` is called, every answer except that of /live states that the
 * service is starting, and what it waits for. Rejects if the address cannot be used.
 */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  let parts: HttpParts | undefined
  let startingWhy = 'the service is starting'
  let closing: Promise<void> | undefined
  const texts = createDocumentTexts()
  const answers = createAnswers()
  const { bodies = createBodies(), answerMs = limits.answerMs } = options
  const server = createServer(CONNECTION_LIMITS, (request, response) => {
    if (closing !== undefined) response.setHeader('connection', 'close')
    void answer(request, response).catch((error: unknown) => refuse(options, request, response, requestIdOf(request), error))
  })
  // each call of a connection that sends many calls at once listens for the end of the connection
  server.on('connection', (socket) => void socket.setMaxListeners(0))
  server.maxConnections = options.connections ?? limits.connections

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = (request.url ?? '/').split('?')
    switch (path) {
      case '/live':
        return respond(response, 200, 'live')
      case '/ready': {
        const why = closing !== undefined ? 'closing' : parts === undefined ? startingWhy : parts.notReady()
        return respond(response, why === undefined ? 200 : 503, why ?? 'ready')
      }
    }
    if (parts === undefined) throw new UnavailableError('store', startingWhy)
    switch (path) {
      case '/graphql':
        return graphql(parts, request, response)
      case '/metrics':
        return metrics(parts, request, response)
      default:
        if (await parts.console(request, response)) return
        return respond(response, 404, 'no such address; the console is at /, the API at /graphql')
    }
  }

  const metrics = async ({ keys, metrics: text }: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = findCaller(request.headers.authorization, keys)
    if (caller === undefined) respond(response, 401, 'send a key: Authorization: Bearer KEY')
    // callers that may only see a part of the fleet must not read counts of the whole fleet
    else if (!mayDo(caller, 'READ') || caller.project !== null || caller.hosts.length > 0)
      respond(response, 403, 'the key must have the scope READ, and be bound to no project and no host')
    else {
      const body = await text()
      response.writeHead(200, METRICS_HEADERS).end(body)
    }
  }

  const graphql = async (
    { keys, documents, graphql: run }: HttpParts,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    if (request.method === 'GET' && wantsPage(request)) {
      response.writeHead(302, { location: `/graphiql${searchOf(request)}`, 'cache-control': 'no-store' }).end()
      return
    }
    const requestId = requestIdOf(request)
    response.setHeader('x-request-id', requestId)
    response.setHeader('x-content-type-options', 'nosniff')
    // clients send lists of operations only to a service that answers with this header
    response.setHeader('x-max-operations', limits.operations)
    const caller = findCaller(request.headers.authorization, keys)
    if (caller === undefined) throw fault('UNAUTHENTICATED', 'Send a key: Authorization: Bearer KEY.')
    if (request.method !== 'POST')
      throw fault('GRAPHQL_VALIDATION_FAILED', `The method is ${request.method}; it must be POST.`, {
        rule: 'http.method',
        allowed: 'POST',
        status: 405,
      })
    const gone = new CallEnd()
    const over = new CallEnd()
    const body = bodies.begin(caller.keyId)
    const answer = answers.begin(() => gone.abort())
    let reading: NodeJS.Timeout | undefined
    const operations: { readonly gone: CallEnd; readonly answer: Answer }[] = []
    // The listener is added before the first `await`, because the caller may disconnect while this function waits.
    onceOver(request, response, () => {
      if (!response.writableFinished) for (const each of [gone, ...operations.map((one) => one.gone)]) each.abort()
      over.abort()
      clearTimeout(reading)
      // the variables of a call and its answer use memory until the caller has read the answer
      body.end()
      for (const each of [answer, ...operations.map((one) => one.answer)]) each.end()
    })
    const isToBeRead = (): void => {
      // a timer that starts after the end of the call would keep the call's body in memory
      if (over.aborted) return
      reading ??= setTimeout(() => request.socket.destroy(), answerMs).unref()
    }
    const params = await readParams(request, documents, texts, body)
    // calls that arrive together start in several turns of the event loop, because otherwise each of them would wait for all others
    await turns.admit()
    // if the response is closed, nothing would stop work that starts here
    if (over.aborted) return
    const duringOperation: Call['duringOperation'] = (index, work) => {
      const own = new CallEnd()
      const ofOperation = answers.begin(() => own.abort())
      operations.push({ gone: own, answer: ofOperation })
      return duringCall(own, () => work({ ...of, requestId: `${requestId}.${index}`, answer: ofOperation }), caller)
    }
    const of: Call = { caller, requestId, answer, over, isToBeRead, duringOperation }
    await duringCall(gone, () => run(request, response, of, params), caller)
  }

  await listen(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host === '0.0.0.0' || host === '[::]' ? '127.0.0.1' : host}:${port}/graphql`,
    starting(why) {
      startingWhy = why
    },
    open(given) {
      parts = given
    },
    close() {
      closing ??= drain(server, () => parts?.endStreams())
      return closing
    },
  }
}

/**
 * Calls a function once, when a response was sent or its connection was closed. A response that waits until an earlier call of the same
 * connection is answered does not notice that the connection is closed.
 */
function onceOver({ socket }: IncomingMessage, response: ServerResponse, act: () => void): void {
  const end = (): void => {
    socket.off('close', end)
    response.off('close', end)
    act()
  }
  socket.once('close', end)
  response.once('close', end)
}

async function drain(server: Server, endStreams: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  endStreams()
  server.closeIdleConnections()
  // connections become idle when their calls are answered, and are then closed
  const sweep = setInterval(() => server.closeIdleConnections(), 100)
  const end = setTimeout(() => server.closeAllConnections(), DRAIN_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(end)
}

function listen(server: Server, { host, port }: HttpOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Returns true if a browser requests the URL. It is then redirected to the console's page for trying the API. */
const wantsPage = (request: IncomingMessage): boolean => (request.headers.accept ?? '').includes('text/html')

/** The query string, with its question mark. */
const searchOf = ({ url = '' }: IncomingMessage): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

/** The caller's own request id if it is valid, so that the logs of the caller and of the service can be compared. Otherwise a new id. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(`${text}\n`)
}

/**
 * How long the rest of a refused call's body is read and dropped, so that the caller can read the answer instead of a broken connection.
 */
const DISCARD_MS = 1_000

/** Answers a call that was refused before GraphQL processed it, or failed outside of it. */
function refuse({ warn }: HttpOptions, request: IncomingMessage, response: ServerResponse, requestId: string, cause: unknown): void {
  const error: GraphQLError = toFault(cause)
  const reason = defectBehind(error)
  if (reason !== undefined) warn(`request ${requestId} failed: ${reason}`)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { http, ...extensions } = error.extensions as { http: { status: number }; retryAfterMs?: number }
  const status = http.status
  const body = JSON.stringify({ errors: [{ message: error.message, extensions: { ...extensions, requestId } }] })
  const answer = (): void => {
    if (response.headersSent || response.destroyed) return
    const isUnread = !request.complete
    response.writeHead(status, {
      'content-type': 'application/graphql-response+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
      ...(status === 405 ? { allow: 'POST' } : {}),
      ...(extensions.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(extensions.retryAfterMs / 1_000)) }),
      ...(isUnread ? { connection: 'close' } : {}),
    })
    response.end(body)
    if (isUnread) setTimeout(() => request.destroy(), DISCARD_MS).unref()
  }
  if (request.complete) {
    answer()
    return
  }
  // many clients do not read an answer before they have sent everything, so the rest is read and dropped first
  request.resume()
  request.once('end', answer)
  setTimeout(answer, DISCARD_MS).unref()
}
