import type { Steps } from '@gantt/scheduler-core'
import {
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  typeFromAST,
} from 'graphql'
import { fault } from '../../../schema/types/faults.ts'
import { isSafeJsonInSteps } from '../../../schema/types/safe-json.ts'
import { limits } from '../../limits.ts'

/** The maximum length of a list without its own limit. It is the longest list in a request or report. */
export const LIST_ITEMS = 10_000

/**
 * Lists with their own limits, by the input field. Lists with a larger limit are processed in slices. Lists with a lower limit have items
 * that cost more than a comparison. The limits bound the work on a call before it is read. The schemas of requests and reports also limit
 * their lists, with their own error codes and paths. No limit in this table is lower than the limit of such a schema.
 */
export const listLimits: Readonly<Record<string, number>> = {
  'AggregateCreateInput.hosts': limits.listItems,
  'AggregateUpdateInput.addHosts': limits.listItems,
  'AggregateUpdateInput.removeHosts': limits.listItems,
  'AggregateChangeInput.addHosts': limits.listItems,
  'AggregateChangeInput.removeHosts': limits.listItems,
  'FleetOverlayInput.removeHosts': limits.listItems,
  'FleetOverlayInput.drainHosts': limits.listItems,
  'FleetOverlayInput.disableHosts': limits.listItems,
  'FleetOverlayInput.enableHosts': limits.listItems,
  'FleetOverlayInput.releaseClaims': limits.listItems,
  'AggregateCreateInput.metadata': 1_000,
  'AggregateUpdateInput.setMetadata': 1_000,
  'AggregateUpdateInput.unsetMetadata': 1_000,
  'ApiKeyCreateInput.scopes': 100,
  'ApiKeyCreateInput.hosts': 1_000,
  'FleetAllocationInput.classes': 100,
  'ProfileVersionInput.collects': 100,
  'ProfileVersionInput.filters': 1_000,
  'ProfileVersionInput.weighers': 1_000,
}

interface Spot {
  readonly value: unknown
  readonly type: GraphQLInputType
  readonly path: readonly string[]
  /** The name of the list in `listLimits`. */
  readonly name: string
}

/** A field of an input whose value can contain lists or JSON values. */
interface Holder {
  readonly field: string
  readonly type: GraphQLInputType
  /** The name of the list in `listLimits`. */
  readonly name: string
}

/** The schema never changes, so the fields of an input are examined once. */
const holders = new WeakMap<GraphQLInputObjectType, readonly Holder[]>()

function holdersOf(input: GraphQLInputObjectType): readonly Holder[] {
  const found = holders.get(input)
  if (found !== undefined) return found
  const all = Object.values(input.getFields())
    .filter(({ type }) => isInputObjectType(getNamedType(type)) || isListType(getNullableType(type)) || isJson(type))
    .map(({ name, type }): Holder => ({ field: name, type, name: `${input.name}.${name}` }))
  holders.set(input, all)
  return all
}

const isJson = (type: GraphQLInputType): boolean => {
  const inner = getNullableType(type)
  return isScalarType(inner) && inner.name === 'JSON'
}

/** The check yields after this many values that may contain lists. */
const VALUES_AT_ONCE = 1_000

/**
 * Refuses variables with a list that is longer than its input allows, before the items are read. Lists in the document are limited by the
 * document's length. Throws an error with the path of the list. The check is a loop and not a recursion, although the depth of variables is
 * limited. It yields after VALUES_AT_ONCE values, because the variables of one call can have a hundred thousand values. JSON values are
 * checked meanwhile, for the executor, which cannot yield.
 */
export function* checkListsInSteps(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): Steps<void> {
  const waiting: Spot[] = []
  for (const { variable, type: node } of getOperationAST(document, operationName)?.variableDefinitions ?? []) {
    const type = typeFromAST(schema, node as never)
    const name = variable.name.value
    if (isInputType(type)) waiting.push({ value: variables[name], type, path: [name], name })
  }
  let checked = 0
  for (let spot = waiting.pop(); spot !== undefined; spot = waiting.pop()) {
    for (const inner of insideOf(spot)) waiting.push(inner)
    // checked here in steps, because the executor checks JSON values without yielding; it then uses the stored result
    if (isJson(spot.type)) yield* isSafeJsonInSteps(spot.value)
    if (++checked % VALUES_AT_ONCE === 0) yield
  }
}

/** The parts of a value that may contain lists. Throws if a list is too long. */
function insideOf({ value, type, path, name }: Spot): Spot[] {
  const inner = isNonNullType(type) ? type.ofType : type
  if (isListType(inner) && Array.isArray(value)) {
    const most = listLimits[name] ?? LIST_ITEMS
    if (value.length > most) throw tooLong(path, value.length, most)
    const { ofType } = inner
    const mayHaveLists = isInputObjectType(getNamedType(ofType)) || isListType(isNonNullType(ofType) ? ofType.ofType : ofType)
    return mayHaveLists ? value.map((item: unknown, i) => ({ value: item, type: ofType, path: [...path, String(i)], name })) : []
  }
  if (!isInputObjectType(inner) || value === null || typeof value !== 'object') return []
  const inside: Spot[] = []
  for (const { field, type: typeOfField, name: list } of holdersOf(inner)) {
    const held = Object.hasOwn(value, field) ? (value as Readonly<Record<string, unknown>>)[field] : undefined
    if (typeof held === 'object' && held !== null) inside.push({ value: held, type: typeOfField, path: [...path, field], name: list })
  }
  return inside
}

const tooLong = (path: readonly string[], length: number, most: number) =>
  fault('GRAPHQL_VALIDATION_FAILED', `${path.join('.')} is a list of ${length}; it must be a list of at most ${most}`, {
    path,
    rule: 'limit.list',
    found: `a list of ${length}`,
    allowed: `a list of at most ${most}`,
  })
