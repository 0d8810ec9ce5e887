import {
  type ASTNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'
import { fault } from '../schema/faults.ts'

/** What one operation may ask for at most. */
export const limits = {
  bodyBytes: 4 * 1024 * 1024,
  tokens: 5_000,
  depth: 12,
  aliases: 30,
  directives: 50,
  rootFields: 10,
  cost: 10_000,
  /** Lists and objects within each other in a call's variables, and brackets in its document. */
  nesting: 64,
  /** Items of one list in a call's variables: as many as the longest that an input allows has, the hosts of an aggregate. */
  listItems: 100_000,
} as const

/** What a field costs beside its objects; lists cost once per item that may come. */
const weights: Readonly<Record<string, number>> = {
  'Query.explainPlacement': 100,
  'Query.whyNot': 100,
  'Query.compareDecisions': 200,
  'Query.compareProfiles': 500,
  'Query.activity': 200,
  'Activity.took': 50,
  'Activity.before': 200,
  'Query.decisionCounts': 200,
  'DecisionCounts.steps': 100,
  'DecisionCounts.groups': 200,
  'Query.capacity': 500,
  'AggregatePayload.warnings': 500,
  'Query.verifyDecision': 200,
  'Query.simulate': 1_000,
  'Query.whatWouldFit': 2_000,
  'SimulatedDecision.explanation': 100,
  'Decision.explanation': 100,
  'Decision.replica': 5,
  'Fleet.columns': 500,
  'Explanation.matrix': 100,
  'Explanation.nearMisses': 20,
  'Explanation.weighing': 20,
  'Explanation.verdicts': 20,
  'HostVerdict.checks': 2,
}

/** Arguments that tell how long a list may be. */
const SIZES: readonly string[] = ['first', 'top', 'points']

/** Lists whose length no argument tells. */
const PLAIN_LIST = 5

interface Walk {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Readonly<Record<string, unknown>>
  depth: number
  aliases: number
  directives: number
  rootFields: number
  /** Fields visited, fragments included: the walk itself is bounded. */
  visited: number
}

/** Refuses an operation that asks for too much, before anything runs. Answers its cost. Throws the fault. */
export function checkLimits(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): number {
  const operation = getOperationAST(document, operationName)
  const root = operation ? schema.getRootType(operation.operation) : undefined
  if (!operation || !root) return 0
  const fragments = new Map(
    document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
  )
  const walk: Walk = { schema, fragments, variables, depth: 0, aliases: 0, directives: 0, rootFields: 0, visited: 0 }
  // an introspection query is deeper than any other, and reads nothing but the schema
  const cost = costOf(walk, operation.selectionSet, root, 1, [])
  const over = (what: string, found: number, most: number): void => {
    if (found > most)
      throw fault('GRAPHQL_VALIDATION_FAILED', `The operation has ${what} ${found}; at most ${most} is allowed.`, {
        rule: `limit.${what.replaceAll(' ', '_')}`,
        found: String(found),
        allowed: `at most ${most}`,
      })
  }
  over('depth', walk.depth, limits.depth)
  over('aliases', walk.aliases, limits.aliases)
  over('directives', walk.directives, limits.directives)
  over('root fields', walk.rootFields, limits.rootFields)
  if (cost > limits.cost)
    throw fault(
      'COST_EXCEEDED',
      `The operation costs ${cost}; at most ${limits.cost} is allowed. Ask for shorter lists or less of each item.`,
      {
        rule: 'limit.cost',
        found: String(cost),
        allowed: `at most ${limits.cost}`,
      },
    )
  return cost
}

/** Objects cost 1, scalars 0; what is inside a list costs once per item. */
function costOf(walk: Walk, selections: SelectionSetNode, type: GraphQLNamedType, depth: number, within: readonly string[]): number {
  let cost = 0
  for (const node of selections.selections) {
    walk.directives += node.directives?.length ?? 0
    if (node.kind === Kind.FIELD) {
      cost += costOfField(walk, node, type, depth, within)
      continue
    }
    const fragment = node.kind === Kind.FRAGMENT_SPREAD ? walk.fragments.get(node.name.value) : node
    if (fragment === undefined || (node.kind === Kind.FRAGMENT_SPREAD && within.includes(node.name.value))) continue
    const condition = fragment.typeCondition ? walk.schema.getType(fragment.typeCondition.name.value) : type
    const inside = node.kind === Kind.FRAGMENT_SPREAD ? [...within, node.name.value] : within
    if (condition) cost += costOf(walk, fragment.selectionSet, condition, depth, inside)
  }
  return cost
}

function costOfField(walk: Walk, node: FieldNode, parent: GraphQLNamedType, depth: number, within: readonly string[]): number {
  const name = node.name.value
  if (++walk.visited > 20 * limits.tokens)
    throw fault('COST_EXCEEDED', 'The operation repeats its fragments too often.', { rule: 'limit.cost' })
  if (node.alias) walk.aliases++
  if (depth === 1) walk.rootFields++
  if (name.startsWith('__')) return 0
  walk.depth = Math.max(walk.depth, depth)
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  if (field === undefined) return 0
  const type = getNamedType(field.type)
  if (!isCompositeType(type) || !node.selectionSet) return weights[`${parent.name}.${name}`] ?? 0
  const inner = costOf(walk, node.selectionSet, type, depth + 1, within)
  return (weights[`${parent.name}.${name}`] ?? 0) + timesOf(walk, node, field) * (1 + inner)
}

/** How many items a field may bring: its own argument, else a guess for lists; the parts of a page count once. */
function timesOf({ variables }: Walk, node: FieldNode, field: GraphQLField<unknown, unknown>): number {
  const sized = field.args.find(({ name }) => SIZES.includes(name))
  if (sized !== undefined) {
    const given = node.arguments?.find((argument) => argument.name.value === sized.name)?.value
    const value = given === undefined ? sized.defaultValue : readInt(given, variables)
    return typeof value === 'number' && value > 0 ? value : Number(sized.defaultValue ?? 1)
  }
  // as many as were asked for by name
  for (const argument of node.arguments ?? []) {
    const count = lengthOf(argument.value, variables)
    if (count !== undefined) return count
  }
  const isPagePart = node.name.value === 'edges' || node.name.value === 'nodes'
  const type = isNonNullType(field.type) ? field.type.ofType : field.type
  return isListType(type) && !isPagePart ? PLAIN_LIST : 1
}

function lengthOf(node: ASTNode, variables: Readonly<Record<string, unknown>>): number | undefined {
  if (node.kind === Kind.LIST) return node.values.length
  const value = node.kind === Kind.VARIABLE ? variables[node.name.value] : undefined
  return Array.isArray(value) ? value.length : undefined
}

function readInt(node: ASTNode, variables: Readonly<Record<string, unknown>>): unknown {
  if (node.kind === Kind.INT) return Number(node.value)
  return node.kind === Kind.VARIABLE ? variables[node.name.value] : undefined
}
