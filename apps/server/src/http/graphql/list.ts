import type { IncomingMessage, ServerResponse } from 'node:http'
import { GraphQLError, getOperationAST } from 'graphql'
import { turns } from '../../event-loop/pauses.ts'
import { fault } from '../../schema/types/faults.ts'
import type { Call } from './call.ts'
import { withRequestIds } from './call-rules.ts'
import { areUnusual, createRunDirectly, type WrittenAnswer, write, written } from './direct.ts'
import { LARGE_VALUES, type OperationList, type Params } from './limits/body.ts'
import { toFault } from './masking.ts'
import type { GraphqlOptions } from './yoga.ts'

/** The media type of an answer with one line of JSON for each operation. */
const LINES = 'application/jsonl'

/** Answers a list of operations, and resolves when all answers are written or the caller has left. */
export type ListAnswers = (request: IncomingMessage, response: ServerResponse, call: Call, list: OperationList) => Promise<void>

/**
 * Answers the operations of a list at the same time, each as a call of its own, so that their changes wait together and share an entry of
 * the log. A caller that accepts lines gets the answer of each operation as soon as it is ready. Other callers get a list of all answers in
 * the order of the operations.
 */
export function createListAnswers(options: GraphqlOptions): ListAnswers {
  const run = createRunDirectly(options)
  const { documents, warn } = options

  /** Answers one operation, with the same text and status as for a call of its own. */
  const answerTo = async (call: Call, params: Params | GraphQLError): Promise<WrittenAnswer> => {
    const refused = (error: unknown) => written(withRequestIds({ errors: [toFault(error)] }, call.requestId, warn))
    if (params instanceof GraphQLError) return refused(params)
    const document = documents.valid(params.query)
    if (document === undefined) return refused(unknownDocument())
    const operation = getOperationAST(document, params.operationName)?.operation
    // the words of Yoga, which answers such a call when it is sent alone
    if (operation === undefined) return refused(fault('GRAPHQL_VALIDATION_FAILED', 'Could not determine what operation to execute.'))
    if (operation === 'subscription') return refused(onlyAlone('A subscription', 'stream'))
    if (areUnusual(params.variables))
      return refused(onlyAlone(`An operation with more than ${LARGE_VALUES} values in its variables`, 'values'))
    return run(call, document, params)
  }

  return async (request, response, call, { operations }) => {
    const isStream = accepts(request.headers.accept, LINES)
    const send = isStream ? createLines(response, call) : undefined
    const answers = operations.map(async (params, index) => {
      await turns.admit()
      // the caller can have left while the operation waited for its turn
      if (call.over.aborted) return undefined
      const answer = await call.duringOperation(index, (own) => answerTo(own, params))
      await send?.(index, answer)
      return answer.text
    })
    const texts = await Promise.all(answers)
    if (response.destroyed) return
    if (!isStream) return write(request, response, call, 'application/json', { status: 200, text: `[${texts.join()}]` })
    call.isToBeRead()
    response.end()
  }
}

/** Writes lines one after the other. While the caller does not read, further lines wait. */
function createLines(response: ServerResponse, call: Call): (index: number, answer: WrittenAnswer) => Promise<void> {
  let drained: Promise<void> | undefined
  let isCorked = false
  response.writeHead(200, { 'content-type': `${LINES}; charset=utf-8`, 'cache-control': 'no-store' })
  return async (index, { status, text }) => {
    while (drained !== undefined) await drained
    if (response.destroyed) return
    if (!isCorked) {
      // lines that are ready in the same turn are sent in one piece
      isCorked = true
      response.cork()
      process.nextTick(() => {
        isCorked = false
        response.uncork()
      })
    }
    if (response.write(`{"requestIndex":${index},"status":${status},${text.slice(1)}\n`)) return
    call.isToBeRead()
    drained = untilDrained(response).then(() => {
      drained = undefined
    })
    await drained
  }
}

/** Resolves when more can be written, or the connection is closed. */
const untilDrained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      response.off('drain', end).off('close', end)
      resolve()
    }
    response.on('drain', end).on('close', end)
  })

/** True if an Accept header names the media type, and does not exclude it. */
const accepts = (header: string | undefined, type: string): boolean =>
  (header ?? '').split(',').some((part) => {
    const [name = '', ...options] = part.split(';').map((word) => word.trim().toLowerCase())
    return name === type && !options.some((option) => /^q=0(\.0*)?$/.test(option))
  })

const unknownDocument = (): GraphQLError =>
  fault(
    'PERSISTED_DOCUMENT_NOT_FOUND',
    'The document was not validated by this replica lately; send its text as query, in a call of its own.',
    {
      path: ['documentId'],
      allowed: 'the id of a document that was sent to this replica lately in a call of its own',
    },
  )

/** The error of an operation that must be sent in a call of its own. */
const onlyAlone = (what: string, rule: string): GraphQLError =>
  fault('GRAPHQL_VALIDATION_FAILED', `${what} must be sent in a call of its own, not in a list of operations.`, {
    rule: `list.${rule}`,
    allowed: `queries and mutations with at most ${LARGE_VALUES} values in their variables`,
  })
