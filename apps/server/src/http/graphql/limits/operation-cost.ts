import {
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
  type OperationDefinitionNode,
  type SelectionSetNode,
  type ValueNode,
  valueFromASTUntyped,
} from 'graphql'
import { limits, overLimit } from '../../limits.ts'
import { introspectionCost } from './introspection-cost.ts'

/** The additional cost of a field. In a list, the cost is counted once for each possible item. */
const weights: Readonly<Record<string, number>> = {
  'Query.explainPlacement': 100,
  'Query.whyNot': 100,
  'Query.compareDecisions': 200,
  'Query.compareProfiles': 500,
  'Query.unusedParts': 500,
  'Query.activity': 200,
  'Activity.took': 50,
  'Activity.before': 200,
  'Query.decisionCounts': 200,
  'DecisionCounts.steps': 100,
  'DecisionCounts.groups': 200,
  'Query.capacity': 500,
  'AggregatePayload.warnings': 500,
  // the key is compared with all known keys
  'AggregateMetadata.similarKeys': 5,
  'Query.verifyDecision': 200,
  'Query.simulate': 1_000,
  'Query.whatWouldFit': 2_000,
  'SimulatedDecision.explanation': 100,
  'Decision.explanation': 100,
  'Decision.replica': 5,
  // the request is read from the decision of the claim
  'Claim.moveSpec': 5,
  // the age is computed from the fleet as it was at the decision
  'Destination.reportAge': 20,
  'Fleet.columns': 500,
  // the first event contains all hosts that changed since the reader's revision
  'Subscription.fleetDeltas': 500,
  'Explanation.matrix': 100,
  'Explanation.nearMisses': 20,
  'Explanation.weighing': 20,
  'Explanation.verdicts': 20,
  'HostVerdict.checks': 2,
}

/** Arguments that set the length of a list. */
const SIZES: readonly string[] = ['first', 'top', 'points']

/** Fields in the input of a call that determine the length of a list in the answer. */
const COUNTS: ReadonlySet<string> = new Set(['first', 'numInstances', 'instances', 'count'])

/** A list of unknown length is assumed to have this many items. */
const PLAIN_LIST = 5

interface Cost {
  readonly all: number
  /** The part of the cost for pages and weighted fields. In a list it is multiplied by the count of items that the input determines. */
  readonly heavy: number
}

const FREE: Cost = { all: 0, heavy: 0 }

type Values = Readonly<Record<string, unknown>>

/**
 * A number that the cost takes from the variables, and its value in the call for which the cost was computed. It refers to no variables,
 * because it stays in memory after the call.
 */
interface Reading {
  readonly node: FieldNode
  /** The field whose count of items is read. Undefined: the count of items in the input of the root field `node` is read. */
  readonly field: GraphQLField<unknown, unknown> | undefined
  readonly found: number | undefined
}

interface Walk {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  readonly variables: Values
  readonly roots: ReadonlySet<unknown>
  /** Everything that was read of the variables, in order. Undefined if it cannot be read again as numbers. */
  readings: Reading[] | undefined
}

/** The cost of the last call of an operation. It is also the cost of a call in which everything that was read has the same value. */
interface KnownCost {
  readonly cost: number
  readonly readings: readonly Reading[]
}

/** Documents are cached, so the cost of most operations is computed once. */
const known = new WeakMap<OperationDefinitionNode, KnownCost>()

/** The cost of an operation that reads more of its variables is computed for each call, because the readings take memory. */
const MAX_READINGS = 100

/** The data of one root field of an operation. */
interface Call {
  readonly parent: GraphQLNamedType
  /** How many items the input has. Computed only if a cost depends on the count, because the input may be long. */
  readonly itemCount: () => number
  /** Costs of fragments by name, inside of a list and outside. */
  readonly costs: Map<string, Cost>
  readonly inList: boolean
}

/**
 * The cost of an operation with the values of its variables: those of the caller, otherwise the defaults. Objects cost 1, scalars 0, and
 * the content of a list is counted once per item. Fragments are counted for each spread, and are visited once. Throws an error if the cost
 * is too high.
 */
export function checkCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): number {
  const operation = getOperationAST(document, operationName)
  const root = operation ? schema.getRootType(operation.operation) : undefined
  if (!operation || !root) return 0
  const values = valuesOf(operation, variables)
  const last = known.get(operation)
  const isSame = last?.readings.every((reading) => find(values, reading) === reading.found)
  const cost = last !== undefined && isSame ? last.cost : computeCost(schema, document, operation, root, values)
  if (cost > limits.cost)
    throw overLimit(
      'cost',
      cost,
      limits.cost,
      `The operation costs ${cost}; at most ${limits.cost} is allowed. Ask for shorter lists or less of each item.`,
    )
  return cost
}

function computeCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  root: GraphQLNamedType,
  variables: Values,
): number {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const roots = new Set([schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
  const walk: Walk = { schema, fragments, variables, roots, readings: [] }
  const cost = costOf(walk, operation.selectionSet, { parent: root, itemCount: () => 0, costs: new Map(), inList: false }).all
  if (walk.readings !== undefined) known.set(operation, { cost, readings: walk.readings })
  return cost
}

/** Reads a number of the variables, and records it. */
function take(walk: Walk, node: FieldNode, field?: GraphQLField<unknown, unknown>): number | undefined {
  const found = find(walk.variables, { node, field })
  if (walk.readings !== undefined && walk.readings.length < MAX_READINGS) walk.readings.push({ node, field, found })
  else walk.readings = undefined
  return found
}

const find = (variables: Values, { node, field }: Pick<Reading, 'node' | 'field'>): number | undefined =>
  field === undefined ? itemsIn(variables, node) : timesWith(variables, node, field)

/**
 * The variables, with defaults for missing ones. A default may be null. The object has no prototype, because callers choose the names, and
 * `constructor` is a valid one.
 */
function valuesOf({ variableDefinitions = [] }: OperationDefinitionNode, given: Values): Values {
  const values: Record<string, unknown> = Object.assign(Object.create(null), given)
  for (const { variable, defaultValue } of variableDefinitions)
    if (defaultValue !== undefined && values[variable.name.value] === undefined)
      values[variable.name.value] = valueFromASTUntyped(defaultValue)
  return values
}

function costOf(walk: Walk, { selections }: SelectionSetNode, call: Call): Cost {
  let all = 0
  let heavy = 0
  for (const node of selections) {
    const cost =
      node.kind === Kind.FIELD
        ? costOfField(walk, node, call)
        : node.kind === Kind.INLINE_FRAGMENT
          ? costOfFragment(walk, node.typeCondition?.name.value, node.selectionSet, call)
          : costOfSpread(walk, node.name.value, call)
    all += cost.all
    heavy += cost.heavy
  }
  return { all, heavy }
}

function costOfSpread(walk: Walk, name: string, call: Call): Cost {
  const key = `${name} ${call.inList}`
  const known = call.costs.get(key)
  if (known !== undefined) return known
  const fragment = walk.fragments.get(name)
  const cost = fragment ? costOfFragment(walk, fragment.typeCondition.name.value, fragment.selectionSet, call) : FREE
  call.costs.set(key, cost)
  return cost
}

function costOfFragment(walk: Walk, typeName: string | undefined, set: SelectionSetNode, call: Call): Cost {
  const parent = typeName === undefined ? call.parent : walk.schema.getType(typeName)
  return parent ? costOf(walk, set, { ...call, parent }) : FREE
}

function costOfField(walk: Walk, node: FieldNode, call: Call): Cost {
  const { parent } = call
  const name = node.name.value
  if (name === '__schema' || name === '__type') {
    walk.readings = undefined
    const all = introspectionCost(walk.schema, node, walk.fragments, walk.variables)
    return { all, heavy: all }
  }
  const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined
  if (field === undefined) return FREE
  const weight = weights[`${parent.name}.${name}`] ?? 0
  const type = getNamedType(field.type)
  if (!isCompositeType(type) || !node.selectionSet) return { all: weight, heavy: weight }
  const isRoot = walk.roots.has(parent)
  const times = timesOf(walk, node, field)
  const isList = times === undefined && isPlainList(node, field)
  const inner = costOf(walk, node.selectionSet, {
    parent: type,
    itemCount: isRoot ? once(() => take(walk, node) ?? 0) : call.itemCount,
    costs: isRoot ? new Map() : call.costs,
    inList: call.inList || isList || times !== undefined,
  })
  if (times !== undefined) {
    const all = weight + times * (1 + inner.all)
    return { all, heavy: all }
  }
  if (!isList) return { all: weight + 1 + inner.all, heavy: weight + inner.heavy }
  // the answer can have an item for each item of the input; only the costs of pages and expensive fields are multiplied by this count
  const items = inner.heavy === 0 || call.inList || isRoot ? PLAIN_LIST : Math.max(PLAIN_LIST, call.itemCount())
  const heavy = items * inner.heavy
  return { all: weight + PLAIN_LIST * (1 + inner.all - inner.heavy) + heavy, heavy: weight + heavy }
}

/** How many items a field's arguments request; undefined if the arguments do not limit the count. */
function timesOf(walk: Walk, node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
  // most fields have no arguments
  const isGiven = node.arguments !== undefined && node.arguments.length > 0
  return isGiven ? take(walk, node, field) : timesWith(walk.variables, node, field)
}

function timesWith(variables: Values, node: FieldNode, field: GraphQLField<unknown, unknown>): number | undefined {
  const sized = field.args.find(({ name }) => SIZES.includes(name))
  if (sized !== undefined) {
    const given = node.arguments?.find((argument) => argument.name.value === sized.name)?.value
    const value = given === undefined ? undefined : readValue(given, variables)
    return typeof value === 'number' && value > 0 ? value : Number(sized.defaultValue ?? 1)
  }
  // an argument with a list, such as ids, requests one item for each of its elements
  for (const { value: given } of node.arguments ?? []) {
    const value = readValue(given, variables)
    if (Array.isArray(value)) return value.length
  }
  return undefined
}

/** Returns true if the field is a list other than the items of a page. The items of a page are counted with the page. */
function isPlainList(node: FieldNode, { type }: GraphQLField<unknown, unknown>): boolean {
  return isListType(isNonNullType(type) ? type.ofType : type) && node.name.value !== 'edges' && node.name.value !== 'nodes'
}

const readValue = (node: ValueNode, variables: Values): unknown => valueFromASTUntyped(node, variables)

/** The length of the longest list in the arguments of a call, or the largest count of objects that the arguments request. */
function itemsIn(variables: Values, node: FieldNode): number {
  let most = 0
  const waiting: unknown[] = (node.arguments ?? []).map(({ value }) => readValue(value, variables))
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (value === null || typeof value !== 'object') continue
    if (Array.isArray(value)) most = Math.max(most, value.length)
    for (const [key, inner] of Object.entries(value)) {
      if (typeof inner === 'number' && COUNTS.has(key)) most = Math.max(most, inner)
      else if (typeof inner === 'object' && inner !== null) waiting.push(inner)
    }
  }
  return most
}

function once<Value>(work: () => Value): () => Value {
  let known: { readonly value: Value } | undefined
  return () => {
    known ??= { value: work() }
    return known.value
  }
}
