import { atOnce, type Steps } from '@gantt/scheduler-core'
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, Kind } from 'graphql'
import { createYoga, isAsyncIterable, mapAsyncIterator, type Plugin, type YogaServerInstance } from 'graphql-yoga'
import { answerYielding, callAnswered, callSubscribes, pauseOfQuery } from '../../event-loop/query.ts'
import type { Context } from '../../schema/context.ts'
import { fault, isFault } from '../../schema/types/faults.ts'
import { servicesFor } from '../../services/key/bound.ts'
import type { Services } from '../../services/services.ts'
import { acceptedEncoding, compress, MIN_BYTES_TO_COMPRESS } from '../compression.ts'
import { type Heartbeat, useHeartbeats } from '../heartbeats.ts'
import type { Call } from './call.ts'
import { variableFaults } from './coercion.ts'
import { createDocumentCache, type DocumentCache, useDocumentCache } from './document-cache.ts'
import { useFieldRules } from './field-rules.ts'
import { type Answer, writeWithPauses } from './limits/answer-size.ts'
import { areLarge, areWide } from './limits/body.ts'
import { checkListsInSteps } from './limits/list-limits.ts'
import { checkCost } from './limits/operation-cost.ts'
import { checkSubscriptionRoot } from './limits/subscription-root.ts'
import { checkUsesInSteps } from './limits/variable-uses.ts'
import { documentFaults } from './literals.ts'
import { defectBehind, toFault } from './masking.ts'

export interface GraphqlOptions {
  readonly schema: GraphQLSchema
  readonly services: Services
  /** The cache for documents that are sent repeatedly. Absent: a new cache is created. */
  readonly documents?: DocumentCache
  /** Returns undefined if all readable state is durable. Otherwise resolves when the state that was read is durable. */
  settled?(): Promise<void> | undefined
  /** The content of the heartbeats of open streams. */
  heartbeat(): Heartbeat
  /** Receives a warning for operators: the reason why a call failed. */
  warn(message: string): void
}

export type GraphqlHandler = YogaServerInstance<Call, Context>

/** Answers GraphQL requests. The body is already read, and the caller is known. */
export function createGraphql({
  schema,
  services,
  documents = createDocumentCache(),
  settled = () => undefined,
  heartbeat,
  warn,
}: GraphqlOptions): GraphqlHandler {
  return createYoga<Call, Context>({
    schema,
    context: ({ caller, requestId, answer, over }) => ({
      ...servicesFor(services, caller),
      caller,
      requestId,
      answer,
      over,
      fleetAt: services.moments.forCall(),
    }),
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

/** The schema, document and operation of a call, and the values of its variables. */
type Checked = readonly [GraphQLSchema, DocumentNode, string | undefined, Readonly<Record<string, unknown>>]

function* checkInSteps(...[schema, document, operationName, variables]: Checked): Steps<void> {
  checkSubscriptionRoot(document, operationName)
  yield* checkListsInSteps(schema, document, operationName, variables)
  yield* checkUsesInSteps(document, operationName, variables)
}

/**
 * Refuses subscriptions that can have no field, and calls with lists that are too long, with long variables that are used too often, or
 * with costs that are too high, by the values of their variables, before anything runs. The cost is checked last, because it visits a
 * variable once for each use.
 */
function useCostLimit(): Plugin<Context, Call> {
  const checkYielding = async (...checked: Checked): Promise<void> => {
    await pauseOfQuery()
    await answerYielding(checkInSteps(...checked))
    checkCost(...checked)
    // the executor reads the variables without yielding
    await pauseOfQuery()
  }
  const check: Plugin['onExecute'] = ({ args, setResultAndStopExecution }) => {
    const { schema, document, operationName, variableValues } = args
    const checked: Checked = [schema, document, operationName ?? undefined, variableValues ?? {}]
    const refuse = (error: unknown): void => setResultAndStopExecution({ errors: [toFault(error)] })
    // a call with few values must not wait for the turns of long queries
    if (variableValues && areLarge(variableValues)) return checkYielding(...checked).catch(refuse)
    try {
      atOnce(checkInSteps(...checked))
      checkCost(...checked)
    } catch (error) {
      refuse(error)
    }
    return undefined
  }
  return { onExecute: check, onSubscribe: check as never }
}

type Executed = {
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined
}

/** Reports the path, the found value and the allowed values for every wrong value. */
export function useTypedErrors(schema: GraphQLSchema): Plugin<Context, Call> {
  /**
   * Errors in variables with wide objects. The executor must not report these errors, because it would print a whole object in each error.
   */
  const wideFaults = ({ document, operationName, variableValues }: Executed): readonly GraphQLError[] =>
    variableValues && areWide(variableValues) ? variableFaults(schema, document, operationName ?? undefined, variableValues) : []
  /** The errors of a call that never ran, with their paths and values. */
  const reworded = ({ errors = [] }: ExecutionResult, { document, operationName, variableValues }: Executed): ExecutionResult => {
    const faults = variableFaults(schema, document, operationName ?? undefined, variableValues ?? {})
    return { errors: faults.length > 0 ? faults : errors.map(toFault) }
  }
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
          const reword = (): void => setResult(reworded(result, args))
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
          if (neverRan(result)) setResult(reworded(result, args) as never)
        },
      }
    },
  }
}

/**
 * True if the variables of a call did not fit their types, or if no operation was named. The errors of such a call have neither data nor a
 * path.
 */
const neverRan = (result: unknown): result is ExecutionResult => {
  if (Symbol.asyncIterator in (result as object)) return false
  const { data, errors } = result as ExecutionResult
  return data === undefined && errors !== undefined && !errors.some(({ path, extensions }) => path || extensions.rule !== undefined)
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

const asksForHealthOnly = ({ definitions }: DocumentNode): boolean =>
  definitions.every(
    (definition) =>
      definition.kind !== Kind.OPERATION_DEFINITION ||
      definition.selectionSet.selections.every((field) => field.kind === Kind.FIELD && ['health', '__typename'].includes(field.name.value)),
  )

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
  const withIds = (result: ExecutionResult, requestId: string): ExecutionResult => {
    const { errors, ...rest } = result
    if (!errors) return result
    for (const error of errors) {
      const reason = defectBehind(error)
      if (reason !== undefined) warn(`request ${requestId} failed: ${reason}`)
    }
    // each call gets its own copies, because an error object may be used for several answers
    return { ...rest, errors: errors.map((error) => withRequestId(error, requestId)) }
  }
  return {
    onExecutionResult({ result, setResult, context }) {
      // the server merges its arguments into the context, which the type does not express
      const { requestId } = context as unknown as Call
      if (isAsyncIterable<ExecutionResult>(result)) setResult(mapAsyncIterator(result, (event) => withIds(event, requestId)) as never)
      else setResult(withIds((result ?? {}) as ExecutionResult, requestId))
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

/** A copy of the error with the request's id. Its status is the same for every media type. */
function withRequestId(error: GraphQLError, requestId: string): GraphQLError {
  const { message, nodes, path } = error
  const { http, ...others } = error.extensions as { readonly http?: { readonly status?: number } }
  const extensions = { ...others, http: { status: http?.status ?? 500 } }
  return new GraphQLError(message, { ...(nodes ? { nodes } : {}), ...(path ? { path } : {}), extensions: { ...extensions, requestId } })
}
