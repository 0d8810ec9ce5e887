import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
} from 'graphql'
import { outsideOfCalls } from '../../../event-loop/query.ts'
import { limits, overLimit } from '../../limits.ts'

interface Walk {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** The cost of each selection set on each part of the schema. */
  readonly known: Map<SelectionSetNode, Map<object, number>>
  /** How many pairs of a selection set and a part of the schema were visited. */
  looks: number
}

/** Counts visited parts of the schema. Tests use it to limit the work. */
export interface Work {
  looks: number
}

/**
 * The cost of `__schema` or `__type`: how many objects its answer has. The count can be computed because the schema never changes. Each
 * selection set is visited once for each part of the schema, so counting takes no longer than the cost limit allows. Throws an error if
 * there are more objects than the limit.
 */
export function introspectionCost(
  schema: GraphQLSchema,
  field: FieldNode,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  variables: Readonly<Record<string, unknown>>,
  work: Work = { looks: 0 },
): number {
  const walk: Walk = { schema, fragments, known: new Map(), looks: 0 }
  try {
    const definition = field.name.value === '__schema' ? SchemaMetaFieldDef : TypeMetaFieldDef
    // within a call, lists of introspection are resolved with pauses
    return outsideOfCalls(() => {
      const part = resolve(walk, definition, undefined, { name: nameGiven(field, variables) })
      const type = getNamedType(definition.type)
      return part && field.selectionSet && isObjectType(type) ? 1 + countIn(walk, field.selectionSet, type, part as object) : 1
    })
  } finally {
    work.looks += walk.looks
  }
}

/** How many objects the answer has below one part of the schema. */
function countIn(walk: Walk, set: SelectionSetNode, type: GraphQLObjectType, part: object): number {
  const ofSet = walk.known.get(set) ?? new Map<object, number>()
  walk.known.set(set, ofSet)
  const known = ofSet.get(part)
  if (known !== undefined) return known
  // each visit adds at least one object to the answer
  check(++walk.looks)
  let count = 0
  for (const node of set.selections) {
    if (node.kind === Kind.FIELD) count += countField(walk, node, type, part)
    else {
      const fragment = node.kind === Kind.FRAGMENT_SPREAD ? walk.fragments.get(node.name.value) : node
      if (fragment) count += countIn(walk, fragment.selectionSet, type, part)
    }
  }
  ofSet.set(part, count)
  return check(count)
}

function countField(walk: Walk, node: FieldNode, parent: GraphQLObjectType, part: object): number {
  const definition = parent.getFields()[node.name.value]
  const type = definition && getNamedType(definition.type)
  if (definition === undefined || !isObjectType(type) || node.selectionSet === undefined) return 0
  const found = resolve(walk, definition, part, {})
  let count = 0
  for (const item of Array.isArray(found) ? found : [found])
    if (item !== null && item !== undefined) count += 1 + countIn(walk, node.selectionSet, type, item as object)
  return count
}

type Definition = Pick<typeof SchemaMetaFieldDef, 'resolve' | 'name'>

/** The members of a part of the schema. Deprecated fields are counted even if they are not selected. */
function resolve({ schema }: Walk, definition: Definition, part: unknown, args: Readonly<Record<string, unknown>>): unknown {
  const info = { schema } as GraphQLResolveInfo
  return definition.resolve === undefined
    ? (part as Readonly<Record<string, unknown>>)[definition.name]
    : definition.resolve(part, { includeDeprecated: true, ...args }, undefined, info)
}

function nameGiven(field: FieldNode, variables: Readonly<Record<string, unknown>>): unknown {
  const value = field.arguments?.find(({ name }) => name.value === 'name')?.value
  return value?.kind === Kind.VARIABLE ? variables[value.name.value] : value?.kind === Kind.STRING ? value.value : undefined
}

function check(count: number): number {
  if (count > limits.cost)
    throw overLimit(
      'cost',
      count,
      limits.cost,
      `The operation asks for ${count} or more parts of the schema; at most ${limits.cost} are allowed. Ask for fewer nested types.`,
    )
  return count
}
