import { quote } from '@gantt/scheduler-core'
import {
  coerceInputValue,
  type DocumentNode,
  type GraphQLError,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql'
import { fault } from '../../schema/types/faults.ts'
import { allowedFor } from '../../schema/types/scalars.ts'

/** The answer to one call lists at most this many errors. */
const MAX_ERRORS = 50

/** The values that this type accepts, as the end of a sentence that begins with "it must be". */
export function allowedIn(type: GraphQLInputType): string {
  if (isNonNullType(type)) return allowedIn(type.ofType)
  if (isListType(type)) return `a list in which each item is ${allowedIn(type.ofType)}`
  const named = getNamedType(type)
  if (isEnumType(named))
    return `one of ${named
      .getValues()
      .map(({ name }) => name)
      .join(', ')}`
  if (isScalarType(named)) return allowedFor(named.name) ?? named.name
  return isInputObjectType(named) && named.isOneOf ? `exactly one of ${fieldNames(named)}` : `a ${named.name}`
}

const fieldNames = (type: GraphQLInputType): string => {
  const named = getNamedType(type)
  return isInputObjectType(named) ? Object.keys(named.getFields()).join(', ') : ''
}

/**
 * The errors of variables that do not fit their types: path, found value and allowed values of each. Runs only for refused calls and for
 * calls with wide objects, because it reads the variables a second time.
 */
export function variableFaults(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError[] {
  const operation = getOperationAST(document, operationName)
  return operation
    ? (operation.variableDefinitions?.flatMap((definition) => faultsOf(schema, definition, variables)).slice(0, MAX_ERRORS) ?? [])
    : []
}

type Definition = NonNullable<OperationDefinitionNode['variableDefinitions']>[number]

function faultsOf(
  schema: GraphQLSchema,
  { variable, type: node, defaultValue }: Definition,
  variables: Readonly<Record<string, unknown>>,
): GraphQLError[] {
  const name = variable.name.value
  const type = typeFromAST(schema, node as never) as GraphQLInputType | undefined
  if (!type || !isInputType(type)) return []
  if (!Object.hasOwn(variables, name)) return isNonNullType(type) && !defaultValue ? [badValue([name], undefined, allowedIn(type))] : []
  const faults: GraphQLError[] = []
  const note = (path: readonly (string | number)[], found: unknown, error: GraphQLError): void => {
    const place = [name, ...path.map(String)]
    const spot = typeAt(type, path)
    const unknown = /^Field "([^"]*)" is not defined by type/s.exec(error.message)?.[1]
    const missing = /^Field "([^"]*)" of required type/s.exec(error.message)?.[1]
    const field = missing === undefined ? undefined : fieldOf(spot, missing)
    if (unknown !== undefined)
      faults.push(
        badValue(
          [...place, unknown.slice(0, 80)],
          (found as Record<string, unknown> | null)?.[unknown],
          `no such field; there are ${fieldNames(spot)}`,
          'not be there: ',
        ),
      )
    else if (missing !== undefined) faults.push(badValue([...place, missing], undefined, field ? allowedIn(field) : 'given'))
    else faults.push(badValue(place, found, allowedIn(spot)))
    if (faults.length >= MAX_ERRORS) throw ENOUGH
  }
  try {
    coerceInputValue(variables[name], type, note)
  } catch (error) {
    if (error !== ENOUGH) throw error
  }
  return faults
}

/** Thrown to end the reading of a value. Reading further wrong items of a long list would take time, and they would not be reported. */
const ENOUGH = new Error('the limit of errors in an answer was reached')

/** The error for a value that is not allowed at its path. */
export function badValue(path: readonly string[], found: unknown, allowed: string, verb = 'be '): GraphQLError {
  const shown = path.map((key) => (key.length > 80 ? `${key.slice(0, 77)}...` : key))
  const quoted = found === undefined ? 'missing' : quote(found)
  const rule = verb === 'be ' ? `it must be ${allowed}` : `there is ${allowed}`
  return fault('GRAPHQL_VALIDATION_FAILED', `${shown.join('.')} is ${quoted}; ${rule}`, {
    path: shown,
    rule: 'input.type',
    found: quoted,
    allowed,
  })
}

function typeAt(type: GraphQLInputType, path: readonly (string | number)[]): GraphQLInputType {
  let at: GraphQLInputType = type
  for (const key of path) {
    const inner: GraphQLInputType = isNonNullType(at) ? at.ofType : at
    at = isListType(inner) && typeof key === 'number' ? inner.ofType : (fieldOf(inner, String(key)) ?? inner)
  }
  return at
}

function fieldOf(type: GraphQLInputType, name: string): GraphQLInputType | undefined {
  const named = getNamedType(type)
  return isInputObjectType(named) ? named.getFields()[name]?.type : undefined
}
