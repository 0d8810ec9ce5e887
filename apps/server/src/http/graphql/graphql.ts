import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Call } from './call.ts'
import { createDirectAnswers } from './direct.ts'
import { createDocumentCache } from './document-cache.ts'
import type { OperationList, Params } from './limits/body.ts'
import { createListAnswers } from './list.ts'
import { createYogaHandler, type GraphqlOptions } from './yoga.ts'

/**
 * Answers a GraphQL call, or a list of operations, whose body is read, and whose caller is known. Resolves when the answer is written, or
 * the stream has begun.
 */
export type GraphqlHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  params: Params | OperationList,
) => Promise<void>

/** Most calls repeat a document of an earlier call, and are answered directly, as lists of operations are. Yoga answers all others. */
export function createGraphql(given: Omit<GraphqlOptions, 'documents'>): GraphqlHandler {
  const options: GraphqlOptions = { ...given, documents: createDocumentCache() }
  const direct = createDirectAnswers(options)
  const list = createListAnswers(options)
  const yoga = createYogaHandler(options)
  return async (request, response, call, params) => {
    if ('operations' in params) return list(request, response, call, params)
    const answered = direct(request, response, call, params)
    if (answered !== undefined) return answered
    // Yoga takes the parameters from the request
    Object.assign(request, { body: params })
    await yoga(request, response, call)
  }
}
