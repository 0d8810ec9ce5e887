import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GraphQLError } from 'graphql'
import { findCaller, mayDo } from '../auth/caller.ts'
import { turns } from '../replica/pieces.ts'
import { UnavailableError } from '../replica/placement.ts'
import { duringCall } from '../replica/question.ts'
import { fault } from '../schema/faults.ts'
import type { ApiKeyStore } from '../stores/api-keys.ts'
import { createAnswers } from './answer-size.ts'
import { readParams } from './body.ts'
import type { ConsoleHandler } from './console.ts'
import { createDocumentTexts } from './document-cache.ts'
import type { Documents } from './documents.ts'
import type { GraphqlHandler } from './graphql.ts'
import { defectBehind, toFault } from './masking.ts'

export interface HttpOptions {
  readonly host: string
  /** 0: any that is free. */
  readonly port: number
  /** Tells operators why a call failed. */
  warn(message: string): void
}

/** What answers calls, once there is a service behind the door. */
export interface HttpParts {
  readonly graphql: GraphqlHandler
  readonly console: ConsoleHandler
  /** Operations that can be sent by their ids. */
  readonly documents: Documents
  readonly keys: Pick<ApiKeyStore, 'verify'>
  /** What Prometheus scrapes. */
  metrics(): Promise<string>
  /** Why the service cannot answer calls now; undefined when it can. */
  notReady(): string | undefined
  /** Ends what would never end by itself: open streams. */
  endStreams(): void
}

export interface HttpServer {
  /** Where callers reach it. */
  readonly url: string
  /** Says why the service is not ready yet. */
  starting(why: string): void
  /** From now on calls are answered. */
  open(parts: HttpParts): void
  /** Takes no more calls, lets those under way finish, and ends streams. */
  close(): Promise<void>
}

/** The text format of Prometheus. */
const METRICS_HEADERS = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8', 'cache-control': 'no-store' }

/** How long calls under way may take once the server is closing. */
const DRAIN_MS = 65_000

/**
 * Serves the console, /graphql, /metrics, /live and /ready. Until it is opened it answers that the service is starting, and
 * what it waits for. Rejects when the address cannot be taken.
 */
export async function startHttpServer(options: HttpOptions): Promise<HttpServer> {
  let parts: HttpParts | undefined
  let startingWhy = 'the service is starting'
  let closing: Promise<void> | undefined
  const texts = createDocumentTexts()
  const answers = createAnswers()
  const server = createServer({ requestTimeout: 60_000, headersTimeout: 15_000, maxHeaderSize: 32_768 }, (request, response) => {
    if (closing !== undefined) response.setHeader('connection', 'close')
    void answer(request, response).catch((error: unknown) => refuse(options, request, response, requestIdOf(request), error))
  })

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path] = (request.url ?? '/').split('?')
    switch (path) {
      case '/live':
        return tell(response, 200, 'live')
      case '/ready': {
        const why = closing !== undefined ? 'closing' : parts === undefined ? startingWhy : parts.notReady()
        return tell(response, why === undefined ? 200 : 503, why ?? 'ready')
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
        return tell(response, 404, 'not here; the console is at /, the API at /graphql')
    }
  }

  const metrics = async ({ keys, metrics: text }: HttpParts, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = findCaller(request.headers.authorization, keys)
    if (caller === undefined) tell(response, 401, 'say who is calling: Authorization: Bearer KEY')
    // counts of the whole fleet are not for whoever may see a part of it
    else if (!mayDo(caller, 'READ') || caller.project !== null || caller.hosts.length > 0)
      tell(response, 403, 'the key must have the scope READ, and be bound to no project and no host')
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
    const caller = findCaller(request.headers.authorization, keys)
    if (caller === undefined) throw fault('UNAUTHENTICATED', 'Say who is calling: Authorization: Bearer KEY.')
    if (request.method !== 'POST')
      throw fault('GRAPHQL_VALIDATION_FAILED', `The method is ${request.method}; it must be POST.`, {
        rule: 'http.method',
        allowed: 'POST',
        status: 405,
      })
    const gone = new AbortController()
    response.once('close', () => {
      if (!response.writableFinished) gone.abort()
    })
    Object.assign(request, { body: await readParams(request, documents, texts) })
    // calls that arrive together are begun in several turns, so that none waits for all
    await turns.admit()
    const answer = answers.begin(() => gone.abort())
    // what is sent takes memory until its caller has read it
    response.once('close', () => answer.end())
    await duringCall(gone.signal, () => run(request, response, { caller, requestId, answer }))
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

async function drain(server: Server, endStreams: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  endStreams()
  server.closeIdleConnections()
  // a connection that was busy becomes idle when its call is answered
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

/** A browser that was led here: the page for trying things out is the console's. */
const wantsPage = (request: IncomingMessage): boolean => (request.headers.accept ?? '').includes('text/html')

/** What stands behind the path, with its question mark. */
const searchOf = ({ url = '' }: IncomingMessage): string => (url.includes('?') ? url.slice(url.indexOf('?')) : '')

/** The caller's own id where it is a plain one, so that its log and ours meet. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id']
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,64}$/.test(given) ? given : randomUUID()
}

function tell(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(`${text}\n`)
}

/** How long what a refused caller still sends is let go, so that it reads the answer instead of a broken connection. */
const LET_GO_MS = 1_000

/** Answers a call that was refused before GraphQL saw it, or failed outside of it. */
function refuse({ warn }: HttpOptions, request: IncomingMessage, response: ServerResponse, requestId: string, cause: unknown): void {
  const error: GraphQLError = toFault(cause)
  const reason = defectBehind(error)
  if (reason !== undefined) warn(`request ${requestId} failed: ${reason}`)
  if (response.headersSent) {
    response.destroy()
    return
  }
  const { http, ...extensions } = error.extensions as { http: { status: number } }
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
      ...(isUnread ? { connection: 'close' } : {}),
    })
    response.end(body)
    if (isUnread) setTimeout(() => request.destroy(), LET_GO_MS).unref()
  }
  if (request.complete) {
    answer()
    return
  }
  // many clients read no answer before they have sent everything: what still comes is let go first, and kept nowhere
  request.resume()
  request.once('end', answer)
  setTimeout(answer, LET_GO_MS).unref()
}
