import type { IncomingMessage, ServerResponse } from 'node:http'
import { type DocumentNode, type ExecutionResult, execute, type GraphQLError, getOperationAST } from 'graphql'
import { callAnswered, pauseOfQuery } from '../../event-loop/query.ts'
import { acceptedEncoding, compress, MIN_BYTES_TO_COMPRESS } from '../compression.ts'
import type { Call } from './call.ts'
import {
  asksForHealthOnly,
  type Checked,
  checkAtOnce,
  checkYielding,
  contextOf,
  type Executed,
  neverRan,
  reworded,
  withRequestIds,
} from './call-rules.ts'
import { refusalOf } from './field-rules.ts'
import { type WrittenResult, writeWithPauses } from './limits/answer-size.ts'
import { areLarge, areWide, type Params } from './limits/body.ts'
import { toFault } from './masking.ts'
import type { GraphqlOptions } from './yoga.ts'

/** The media types of answers by Accept headers. The answer to any other header is left to Yoga. */
const MEDIA_TYPES: ReadonlyMap<string | undefined, string> = new Map([
  [undefined, 'application/json'],
  ['*/*', 'application/json'],
  ['application/json', 'application/json'],
  ['application/graphql-response+json', 'application/graphql-response+json'],
])

/**
 * Answers a call, and resolves when its answer is written. Undefined if Yoga must answer it: a stream, a document that was not sent before,
 * a name of no operation, wide objects in variables, or an unusual media type.
 */
export type DirectAnswers = (request: IncomingMessage, response: ServerResponse, call: Call, params: Params) => Promise<void> | undefined

/** The text of an answer, and its HTTP status. */
export interface WrittenAnswer {
  readonly status: number
  readonly text: string
}

/** Runs a valid document that is no subscription. Its variables contain no wide object. */
export type RunDirectly = (call: Call, document: DocumentNode, params: Params) => Promise<WrittenAnswer>

/** True if the variables take so long to read that a call must yield meanwhile, or if their errors must be computed before it runs. */
export const areUnusual = (variables: Params['variables']): boolean => Boolean(variables && (areLarge(variables) || areWide(variables)))

/**
 * Answers calls without Yoga's requests, responses and hooks, which take longer than the placement of an instance. The same rules apply, and
 * a test compares both answers byte for byte.
 */
export function createDirectAnswers(options: GraphqlOptions): DirectAnswers {
  const run = createRunDirectly(options)
  return (request, response, call, params) => {
    const mediaType = MEDIA_TYPES.get(request.headers.accept)
    const document = mediaType === undefined ? undefined : options.documents.valid(params.query)
    if (mediaType === undefined || document === undefined) return undefined
    const operation = getOperationAST(document, params.operationName)?.operation
    if (operation === undefined || operation === 'subscription') return undefined
    if (params.variables && areWide(params.variables)) return undefined
    return run(call, document, params).then((answer) => write(request, response, call, mediaType, answer))
  }
}

/** Creates a function that runs documents by the rules of this service, and writes their answers as text. */
export function createRunDirectly({ schema, services, settled, warn }: GraphqlOptions): RunDirectly {
  /** The result of a call, before its errors have the id of the request. */
  const resultOf = async (call: Call, executed: Executed): Promise<WrittenResult> => {
    const { document, operationName, variableValues } = executed
    const checked: Checked = [schema, document, operationName ?? undefined, variableValues ?? {}]
    const isLarge = variableValues != null && areLarge(variableValues)
    try {
      // a call with few values must not wait for the turns of long queries
      if (isLarge) await checkYielding(...checked)
      else checkAtOnce(...checked)
    } catch (error) {
      return { errors: [toFault(error)] }
    }
    const refused = refusalOf(schema, document, call.caller)
    if (refused !== undefined) return { errors: [refused] }
    let result: ExecutionResult
    try {
      const contextValue = contextOf(services, call)
      const ran = await execute({ schema, document, operationName, variableValues, contextValue })
      const isUnread = neverRan(ran)
      // large variables are read once more in another turn of the event loop
      if (isUnread && isLarge) await pauseOfQuery()
      result = isUnread ? reworded(schema, ran, executed) : ran
      if (!asksForHealthOnly(document)) await settled()
    } catch (error) {
      result = { errors: [toFault(error)] }
    }
    callAnswered()
    if (call.answer.fault !== undefined) return { errors: [call.answer.fault] }
    try {
      const written = await writeWithPauses(result, call.answer)
      return written.errors === undefined ? written : { ...written, errors: written.errors.map(toFault) }
    } catch (error) {
      return { errors: [toFault(error)] }
    }
  }
  return async (call, document, { operationName, variables }) =>
    written(withRequestIds(await resultOf(call, { document, operationName, variableValues: variables }), call.requestId, warn))
}

/** Writes a result whose errors have the id of the request. */
export function written(result: WrittenResult): WrittenAnswer {
  const { stringify = JSON.stringify, ...answer } = result
  const errors = answer.errors?.map(shown)
  return { status: statusOf(result), text: stringify(errors === undefined ? answer : { ...answer, errors: errors as never }) }
}

/** Sends an answer, compressed if it is long and the caller accepts it. */
export async function write(
  request: IncomingMessage,
  response: ServerResponse,
  call: Call,
  mediaType: string,
  { status, text }: WrittenAnswer,
): Promise<void> {
  const body = Buffer.from(text)
  const headers: Record<string, string | number> = { 'content-type': `${mediaType}; charset=utf-8`, 'content-length': body.byteLength }
  const encoding = body.byteLength < MIN_BYTES_TO_COMPRESS ? undefined : acceptedEncoding(request.headers['accept-encoding'])
  if (body.byteLength >= MIN_BYTES_TO_COMPRESS) headers.vary = 'accept-encoding'
  const sent = encoding === undefined ? body : await compress(body, encoding)
  if (encoding !== undefined) Object.assign(headers, { 'content-encoding': encoding, 'content-length': sent.byteLength })
  // the caller can have left while the answer was computed
  if (response.destroyed) return
  call.isToBeRead()
  response.writeHead(status, headers).end(sent)
}

/** The highest status of the errors; 200 without errors. */
const statusOf = ({ errors = [] }: ExecutionResult): number =>
  errors.reduce((status, { extensions: { http } }) => Math.max(status, (http as { readonly status: number }).status), 200)

/** An error without the fields of its extensions that only concern the server. */
function shown(error: GraphQLError): object {
  const { extensions = {}, ...rest } = error.toJSON()
  const { http: _http, unexpected: _unexpected, ...others } = extensions
  return { ...rest, ...(Object.keys(others).length > 0 && { extensions: others }) }
}
