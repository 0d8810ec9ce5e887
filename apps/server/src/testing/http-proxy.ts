import { createServer, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { idOf } from '../http/graphql/document-cache.ts'

/**
 * What the proxy does with a call. `lose request`: it closes the connection and does not forward the call. `lose answer`: it forwards the
 * call, and closes the connection after the service has answered. `never answer`: it forwards the call, and never answers. An object is the
 * answer of the proxy itself, which does not forward the call.
 */
export type Fate =
  | 'lose request'
  | 'lose answer'
  | 'never answer'
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** An operation as it is sent: its text, or its id. */
interface Sent {
  readonly query?: string
  readonly documentId?: string
}

/** A proxy in front of a service, with the failures that networks and proxies have. */
export interface HttpProxy {
  readonly url: string
  /** Sets what happens to the next calls with this field in their document. Later calls are forwarded. */
  plan(field: string, ...fates: readonly Fate[]): void
  /** How many calls with this field were received. */
  calls(field: string): number
  /** Closes every connection. */
  cut(): void
  close(): Promise<void>
}

/** Listens on a free port of the loopback. */
export async function startHttpProxy(target: string): Promise<HttpProxy> {
  const seen: string[] = []
  const planned: { readonly field: string; readonly fate: Fate }[] = []

  /** The texts that were sent, by their ids. The operations of a list have only ids. */
  const texts = new Map<string, string>()
  const textOf = ({ query, documentId = '' }: Sent): string => {
    if (query !== undefined) texts.set(idOf(query), query)
    return query ?? texts.get(documentId) ?? ''
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const sent = JSON.parse(body) as Sent | readonly Sent[]
    const queries = [sent].flat().map(textOf)
    seen.push(...queries)
    const at = planned.findIndex(({ field }) => queries.some((query) => query.includes(field)))
    const [found] = at === -1 ? [] : planned.splice(at, 1)
    const fate = found?.fate
    if (fate === 'lose request') return void request.socket.destroy()
    if (typeof fate === 'object') return void response.writeHead(fate.status, fate.headers).end(fate.body ?? '')
    const upstream = openRequest(target, { method: request.method, headers: request.headers, agent: false }, (answer) => {
      if (fate === 'never answer') return void answer.resume()
      if (fate === 'lose answer') return void answer.resume().on('end', () => request.socket.destroy())
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.on('error', () => response.destroy()).pipe(response)
    })
    response.on('close', () => {
      if (fate === undefined) upstream.destroy()
    })
    upstream.on('error', () => response.destroy()).end(body)
  }
  const server = createServer((request, response) => void handle(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const calls = (field: string): number => seen.filter((query) => query.includes(field)).length
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    plan: (field, ...fates) => void planned.push(...fates.map((fate) => ({ field, fate }))),
    calls,
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
