import { atOnce, type Steps } from '@gantt/scheduler-core'
import { type DocumentNode, type ExecutionResult, GraphQLError, type GraphQLSchema, Kind } from 'graphql'
import { answerYielding, pauseOfQuery } from '../../event-loop/query.ts'
import type { Context } from '../../schema/context.ts'
import { servicesFor } from '../../services/key/bound.ts'
import type { Services } from '../../services/services.ts'
import type { Call } from './call.ts'
import { variableFaults } from './coercion.ts'
import { checkListsInSteps } from './limits/list-limits.ts'
import { checkCost } from './limits/operation-cost.ts'
import { checkSubscriptionRoot } from './limits/subscription-root.ts'
import { checkUsesInSteps } from './limits/variable-uses.ts'
import { defectBehind, toFault } from './masking.ts'

/** The context of the resolvers of a call. */
export const contextOf = (services: Services, { caller, requestId, answer, over }: Call): Context => ({
  caller,
  requestId,
  answer,
  over,
  fleetAt: services.moments.forCall(),
  // an object that begins with a copy gets a hidden class of its own, which V8 keeps until a collection of the whole heap
  ...servicesFor(services, caller),
})

/** The schema, document and operation of a call, and the values of its variables. */
export type Checked = readonly [GraphQLSchema, DocumentNode, string | undefined, Readonly<Record<string, unknown>>]

function* checkInSteps(...[schema, document, operationName, variables]: Checked): Steps<void> {
  checkSubscriptionRoot(document, operationName)
  yield* checkListsInSteps(schema, document, operationName, variables)
  yield* checkUsesInSteps(document, operationName, variables)
}

/**
 * Checks a call with few values. Throws an error for a subscription that can have no field, lists that are too long, long variables that
 * are used too often, or a cost that is too high.
 */
export function checkAtOnce(...checked: Checked): void {
  atOnce(checkInSteps(...checked))
  checkCost(...checked)
}

/**
 * `checkAtOnce` for a call with large variables. Yields while it reads them, and once before the executor does, because the executor reads
 * all variables without yielding.
 */
export async function checkYielding(...checked: Checked): Promise<void> {
  await pauseOfQuery()
  await answerYielding(checkInSteps(...checked))
  checkCost(...checked)
  await pauseOfQuery()
}

export type Executed = {
  readonly document: DocumentNode
  readonly operationName?: string | null | undefined
  readonly variableValues?: Readonly<Record<string, unknown>> | null | undefined
}

/**
 * True if the variables of a call did not fit their types, or if no operation was named. The errors of such a call have neither data nor a
 * path.
 */
export const neverRan = (result: unknown): result is ExecutionResult => {
  if (Symbol.asyncIterator in (result as object)) return false
  const { data, errors } = result as ExecutionResult
  return data === undefined && errors !== undefined && !errors.some(({ path, extensions }) => path || extensions.rule !== undefined)
}

/** The errors of a call that never ran, with their paths and values. */
export function reworded(
  schema: GraphQLSchema,
  { errors = [] }: ExecutionResult,
  { document, operationName, variableValues }: Executed,
): ExecutionResult {
  const faults = variableFaults(schema, document, operationName ?? undefined, variableValues ?? {})
  return { errors: faults.length > 0 ? faults : errors.map(toFault) }
}

/** `health` never waits for durable state, so that it answers in any case. */
export const asksForHealthOnly = ({ definitions }: DocumentNode): boolean =>
  definitions.every(
    (definition) =>
      definition.kind !== Kind.OPERATION_DEFINITION ||
      definition.selectionSet.selections.every((field) => field.kind === Kind.FIELD && ['health', '__typename'].includes(field.name.value)),
  )

/**
 * The result with the id of the request in every error. For errors of the service itself, operators get a warning with the reason.
 */
export function withRequestIds(result: ExecutionResult, requestId: string, warn: (message: string) => void): ExecutionResult {
  const { errors, ...rest } = result
  if (!errors) return result
  for (const error of errors) {
    const reason = defectBehind(error)
    if (reason !== undefined) warn(`request ${requestId} failed: ${reason}`)
  }
  // each call gets its own copies, because an error object may be used for several answers
  return { ...rest, errors: errors.map((error) => withRequestId(error, requestId)) }
}

/** A copy of the error with the request's id. Its status is the same for every media type. */
function withRequestId(error: GraphQLError, requestId: string): GraphQLError {
  const { message, nodes, path } = error
  const { http, ...others } = error.extensions as { readonly http?: { readonly status?: number } }
  const extensions = { ...others, http: { status: http?.status ?? 500 } }
  return new GraphQLError(message, { ...(nodes ? { nodes } : {}), ...(path ? { path } : {}), extensions: { ...extensions, requestId } })
}
