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
  readonly key: string
  readonly parent: Spot | undefined
  /** The name of the list in `listLimits`. */
  readonly name: string
}

/** A field of an input type whose values can contain lists. */
interface Field {
  readonly key: string
  readonly type: GraphQLInputType
  /** The name of the list in `listLimits`. */
  readonly name: string
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
    if (isInputType(type)) waiting.push({ value: variables[name], type, key: name, parent: undefined, name })
  }
  let checked = 0
  for (let spot = waiting.pop(); spot !== undefined; spot = waiting.pop()) {
    pushInside(waiting, spot)
    // checked here in steps, because the executor checks JSON values without yielding; it then uses the stored result
    if (isJson(getNullableType(spot.type))) yield* isSafeJsonInSteps(spot.value)
    if (++checked % VALUES_AT_ONCE === 0) yield
  }
}

/** Adds the parts of a value that may contain lists. Throws if a list is too long. */
function pushInside(waiting: Spot[], spot: Spot): void {
  const { value, type, name } = spot
  const inner = isNonNullType(type) ? type.ofType : type
  if (isListType(inner) && Array.isArray(value)) {
    const most = listLimits[name] ?? LIST_ITEMS
    if (value.length > most) throw tooLong(pathOf(spot), value.length, most)
    const { ofType } = inner
    if (!isInputObjectType(getNamedType(ofType)) && !isListType(getNullableType(ofType))) return
    for (let i = 0; i < value.length; i++) waiting.push({ value: value[i], type: ofType, key: String(i), parent: spot, name })
    return
  }
  if (!isInputObjectType(inner) || value === null || typeof value !== 'object') return
  for (const { key, type: ofField, name: ofList } of fieldsOf(inner)) {
    const held = Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined
    if (typeof held === 'object' && held !== null) waiting.push({ value: held, type: ofField, key, parent: spot, name: ofList })
  }
}

/** The fields of each input type that can contain lists. */
const known = new WeakMap<GraphQLInputObjectType, readonly Field[]>()

/** The fields of an input type that can contain lists: those of a list, an input type or JSON. Most fields of a report are none of them. */
function fieldsOf(type: GraphQLInputObjectType): readonly Field[] {
  const found = known.get(type)
  if (found !== undefined) return found
  const fields = Object.values(type.getFields()).flatMap(({ name: key, type: ofField }) => {
    const inner = getNullableType(ofField)
    const isChecked = isListType(inner) || isInputObjectType(inner) || isJson(inner)
    return isChecked ? [{ key, type: ofField, name: `${type.name}.${key}` }] : []
  })
  known.set(type, fields)
  return fields
}

const isJson = (type: GraphQLInputType | undefined): boolean => isScalarType(type) && type.name === 'JSON'

function pathOf(spot: Spot): readonly string[] {
  const path: string[] = []
  for (let at: Spot | undefined = spot; at !== undefined; at = at.parent) path.push(at.key)
  return path.reverse()
}

const tooLong = (path: readonly string[], length: number, most: number) =>
  fault('GRAPHQL_VALIDATION_FAILED', `${path.join('.')} is a list of ${length}; it must be a list of at most ${most}`, {
    path,
    rule: 'limit.list',
    found: `a list of ${length}`,
    allowed: `a list of at most ${most}`,
  })
