import type { ExecutionResult, GraphQLError, GraphQLSchema } from 'graphql'
import { createYoga, isAsyncIterable, mapAsyncIterator, type Plugin, type YogaServerInstance } from 'graphql-yoga'
import { callAnswered, callSubscribes, pauseOfQuery } from '../../event-loop/query.ts'
import type { Context } from '../../schema/context.ts'
import { fault, isFault } from '../../schema/types/faults.ts'
import type { Services } from '../../services/services.ts'
import { acceptedEncoding, compress, MIN_BYTES_TO_COMPRESS } from '../compression.ts'
import { type Heartbeat, useHeartbeats } from '../heartbeats.ts'
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
import { variableFaults } from './coercion.ts'
import { type DocumentCache, useDocumentCache } from './document-cache.ts'
import { useFieldRules } from './field-rules.ts'
import { type Answer, writeWithPauses } from './limits/answer-size.ts'
import { areLarge, areWide } from './limits/body.ts'
import { documentFaults } from './literals.ts'
import { toFault } from './masking.ts'

export interface GraphqlOptions {
  readonly schema: GraphQLSchema
  readonly services: Services
  /** The cache for documents that are sent repeatedly. */
  readonly documents: DocumentCache
  /** Returns undefined if all readable state is durable. Otherwise resolves when the state that was read is durable. */
  settled(): Promise<void> | undefined
  /** The content of the heartbeats of open streams. */
  heartbeat(): Heartbeat
  /** Receives a warning for operators: the reason why a call failed. */
  warn(message: string): void
}

export type YogaHandler = YogaServerInstance<Call, Context>

/** Answers GraphQL requests, also streams. The body is already read, and the caller is known. */
export function createYogaHandler({ schema, services, documents, settled, heartbeat, warn }: GraphqlOptions): YogaHandler {
  return createYoga<Call, Context>({
    schema,
    context: (call) => contextOf(services, call),
    logging: false,
    cors: false,
    batching: false,
    multipart: false,
    graphiql: false,
    landingPage: false,
    maxRequestBodySize: false,
    // the server's own cache would hold a thousand documents of any size
    parserAndValidationCache: false,
    maskedErrors: { maskError: (error) => toFault(error) },
    plugins: [
      useDocumentCache(documents),
      useCostLimit(),
      useFieldRules(),
      useTypedErrors(schema),
      useDurableReads(settled),
      useAnswerLimit(),
      useRequestId(warn),
      useCompression(),
      useReadingTime(),
      useHeartbeats(heartbeat),
    ],
  })
}

/**
 * Refuses subscriptions that can have no field, and calls with lists that are too long, with long variables that are used too often, or
 * with costs that are too high, by the values of their variables, before anything runs. The cost is checked last, because it visits a
 * variable once for each use.
 */
function useCostLimit(): Plugin<Context, Call> {
  const check: Plugin['onExecute'] = ({ args, setResultAndStopExecution }) => {
    const { schema, document, operationName, variableValues } = args
    const checked: Checked = [schema, document, operationName ?? undefined, variableValues ?? {}]
    const refuse = (error: unknown): void => setResultAndStopExecution({ errors: [toFault(error)] })
    // a call with few values must not wait for the turns of long queries
    if (variableValues && areLarge(variableValues)) return checkYielding(...checked).catch(refuse)
    try {
      checkAtOnce(...checked)
    } catch (error) {
      refuse(error)
    }
    return undefined
  }
  return { onExecute: check, onSubscribe: check as never }
}

/** Reports the path, the found value and the allowed values for every wrong value. */
export function useTypedErrors(schema: GraphQLSchema): Plugin<Context, Call> {
  /**
   * Errors in variables with wide objects. The executor must not report these errors, because it would print a whole object in each error.
   */
  const wideFaults = ({ document, operationName, variableValues }: Executed): readonly GraphQLError[] =>
    variableValues && areWide(variableValues) ? variableFaults(schema, document, operationName ?? undefined, variableValues) : []
  return {
    onParse:
      () =>
      ({ result, replaceParseResult }) => {
        if (result instanceof Error && !isFault(result))
          replaceParseResult(fault('GRAPHQL_PARSE_FAILED', result.message.slice(0, 300)) as never)
      },
    onValidate:
      ({ params }) =>
      ({ valid, result, setResult }) => {
        const errors = result as readonly GraphQLError[]
        // errors with a rule are already in the form of this service
        if (!valid && errors.some(({ extensions }) => extensions.rule === undefined))
          setResult(documentFaults(schema, params.documentAST, errors))
      },
    onExecute: ({ args, setResultAndStopExecution }) => {
      const faults = wideFaults(args)
      if (faults.length > 0) setResultAndStopExecution({ errors: faults })
      return {
        onExecuteDone({ result, setResult }) {
          if (!neverRan(result)) return undefined
          const reword = (): void => setResult(reworded(schema, result, args))
          // large variables are read once more in another turn of the event loop
          return args.variableValues && areLarge(args.variableValues) ? Promise.resolve(pauseOfQuery()).then(reword) : reword()
        },
      }
    },
    onSubscribe: ({ args, setResultAndStopExecution }) => {
      const faults = wideFaults(args)
      if (faults.length > 0) setResultAndStopExecution({ errors: faults } as never)
      return {
        onSubscribeResult({ result, setResult }) {
          if (neverRan(result)) setResult(reworded(schema, result, args) as never)
        },
      }
    },
  }
}

/**
 * Sends answers and events of streams when the state on which they depend is durable. An answer or event that shows state that the store
 * has lost is not sent. Only `health` never waits, so that it answers in any case.
 */
function useDurableReads(settled: () => Promise<void> | undefined): Plugin<Context, Call> {
  type Done = { setResult(result: ExecutionResult): void }
  const wait = ({ setResult }: Done): Promise<void> | undefined =>
    settled()?.catch((error: unknown) => setResult({ errors: [toFault(error)] }))
  return {
    onExecute: ({ args: { document } }) =>
      asksForHealthOnly(document) ? undefined : { onExecuteDone: (done) => wait(done as Done) as undefined },
    onSubscribe: () => ({ onSubscribeResult: () => ({ onNext: (done) => wait(done as Done) }) }),
  }
}

/** Replaces an answer that is too large by an error. Yields while it writes long answers, so that other calls are answered meanwhile. */
function useAnswerLimit(): Plugin<Context, Call> {
  const written = async (result: ExecutionResult, answer: Answer): Promise<ExecutionResult> => {
    if (answer.fault !== undefined) return { errors: [answer.fault] }
    try {
      return await writeWithPauses(result, answer)
    } catch (error) {
      return { errors: [toFault(error)] }
    }
  }
  const answerOf = (context: unknown): Answer => (context as Call).answer
  return {
    onExecute: ({ args }) => ({
      async onExecuteDone({ result, setResult }) {
        callAnswered()
        if (!(Symbol.asyncIterator in result)) setResult((await written(result as ExecutionResult, answerOf(args.contextValue))) as never)
      },
    }),
    onSubscribe: ({ args }) => {
      callSubscribes()
      return {
        onSubscribeResult: () => ({
          async onNext({ result, setResult }) {
            setResult((await written(result as ExecutionResult, answerOf(args.contextValue))) as never)
          },
        }),
      }
    },
  }
}

/**
 * Adds the id of the request to every error in an answer or in an event of a stream. For errors of the service itself, operators get a
 * warning with the reason.
 */
function useRequestId(warn: (message: string) => void): Plugin<Context, Call> {
  return {
    onExecutionResult({ result, setResult, context }) {
      // the server merges its arguments into the context, which the type does not express
      const { requestId } = context as unknown as Call
      if (isAsyncIterable<ExecutionResult>(result))
        setResult(mapAsyncIterator(result, (event) => withRequestIds(event, requestId, warn)) as never)
      else setResult(withRequestIds((result ?? {}) as ExecutionResult, requestId, warn))
    },
  }
}

/** True for an answer that is sent at once, and not as a stream. */
const isWhole = ({ headers }: { readonly headers: Headers }): boolean =>
  /^application\/(graphql-response\+)?json\b/.test(headers.get('content-type') ?? '')

/** Limits the time in which the caller must read an answer. */
function useReadingTime(): Plugin<Context, Call> {
  return {
    onResponse({ response, serverContext }) {
      if (isWhole(response)) serverContext.isToBeRead()
    },
  }
}

/** Compresses answers of known length if the caller accepts it. A stream is sent unchanged. */
function useCompression(): Plugin<Context, Call> {
  return {
    onResponse({ request, response, setResponse, fetchAPI }) {
      const { headers, status } = response
      if (!isWhole(response) || Number(headers.get('content-length') ?? 0) < MIN_BYTES_TO_COMPRESS) return
      headers.set('vary', 'accept-encoding')
      const encoding = acceptedEncoding(request.headers.get('accept-encoding'))
      if (encoding === undefined) return
      return response
        .bytes()
        .then((body) => compress(body, encoding))
        .then((body) => {
          headers.set('content-encoding', encoding)
          headers.set('content-length', String(body.byteLength))
          setResponse(new fetchAPI.Response(body, { status, headers }))
        })
    },
  }
}
