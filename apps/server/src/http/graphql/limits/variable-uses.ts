import type { Steps } from '@gantt/scheduler-core'
import {
  type ASTNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type ValueNode,
  valueFromASTUntyped,
  visit,
} from 'graphql'
import { limits, overLimit } from '../../limits.ts'

/** How many times an operation uses each of its variables. */
export type Uses = ReadonlyMap<string, number>

/** Counts visited nodes of documents. Tests use it to limit the work. */
export interface Work {
  nodes: number
}

/** The variables and the spreads of an operation or a fragment itself, without those of the fragments that it spreads. */
interface Part {
  readonly variables: readonly string[]
  readonly spreads: readonly string[]
}

/** Documents are cached, so the uses are counted once for each operation. */
const known = new WeakMap<OperationDefinitionNode, Uses>()

/**
 * Counts how many times an operation uses each variable. The variables of a fragment are counted once for each spread of it, but each operation
 * and each fragment is visited only once.
 */
export function usesOf(document: DocumentNode, operation: OperationDefinitionNode, work: Work = { nodes: 0 }): Uses {
  const found = known.get(operation)
  if (found !== undefined) return found
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  const parts = new Map<string, Part>()
  /** The fragments in an order in which every fragment comes after those that it spreads. */
  const order: string[] = []
  const add = ({ spreads }: Part): void => {
    for (const name of spreads) {
      const fragment = fragments.get(name)
      if (fragment === undefined || parts.has(name)) continue
      const part = partOf(fragment, work)
      parts.set(name, part)
      add(part)
      order.push(name)
    }
  }
  const uses = new Map<string, number>()
  const times = new Map<string, number>()
  const count = ({ variables, spreads }: Part, factor: number): void => {
    for (const name of variables) uses.set(name, (uses.get(name) ?? 0) + factor)
    for (const name of spreads) times.set(name, (times.get(name) ?? 0) + factor)
  }
  const root = partOf(operation, work)
  add(root)
  count(root, 1)
  for (const name of order.reverse()) count(parts.get(name) as Part, times.get(name) ?? 0)
  known.set(operation, uses)
  return uses
}

function partOf(definition: ASTNode, work: Work): Part {
  const variables: string[] = []
  const spreads: string[] = []
  visit(definition, {
    enter(node) {
      work.nodes++
      // a definition names its variable without using it
      if (node.kind === Kind.VARIABLE_DEFINITION) return false
      if (node.kind === Kind.VARIABLE) variables.push(node.name.value)
      if (node.kind === Kind.FRAGMENT_SPREAD) spreads.push(node.name.value)
      return undefined
    },
  })
  return { variables, spreads }
}

/** The text and the values of one variable. */
interface Size {
  readonly characters: number
  readonly values: number
}

/** The check yields after this many values. */
const VALUES_AT_ONCE = 1_000

/**
 * Refuses an operation that uses long variables so often that their values together, counted for each use, have more text or more values
 * than the variables of a call may have. Without this check, a document of 64 KiB could multiply a body of 4 MiB by a thousand. Runs before
 * the variables are coerced. Each variable is measured once, so the work is linear in the length of the call.
 */
export function* checkUsesInSteps(
  document: DocumentNode,
  operationName: string | undefined,
  variables: Readonly<Record<string, unknown>>,
): Steps<void> {
  const operation = getOperationAST(document, operationName)
  if (!operation) return
  const uses = usesOf(document, operation)
  // variables that are used once need no check, because the size limits of the request body already cover them
  if (![...uses.values()].some((times) => times > 1)) return
  let characters = 0
  let values = 0
  for (const { variable, defaultValue } of operation.variableDefinitions ?? []) {
    const name = variable.name.value
    const times = uses.get(name) ?? 0
    if (times === 0) continue
    const size = yield* measureInSteps(usedValue(variables, name, defaultValue))
    characters += times * size.characters
    values += times * size.values
  }
  if (characters > limits.usedCharacters) throw tooMuch('text', characters, limits.usedCharacters, 'characters of text')
  if (values > limits.values) throw tooMuch('values', values, limits.values, 'values, including those within lists and objects')
}

/** The value that the executor uses for a variable. */
function usedValue(variables: Readonly<Record<string, unknown>>, name: string, defaultValue: ValueNode | undefined): unknown {
  const given = Object.hasOwn(variables, name) ? variables[name] : undefined
  return given === undefined && defaultValue !== undefined ? valueFromASTUntyped(defaultValue) : given
}

function* measureInSteps(root: unknown): Steps<Size> {
  let characters = 0
  let values = 0
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    values++
    if (typeof value === 'string') characters += value.length
    else if (Array.isArray(value)) for (const item of value) waiting.push(item)
    else if (value !== null && typeof value === 'object')
      for (const [key, member] of Object.entries(value)) {
        characters += key.length
        waiting.push(member)
      }
    if (values % VALUES_AT_ONCE === 0) yield
  }
  return { characters, values }
}

const tooMuch = (rule: string, found: number, most: number, what: string) =>
  overLimit(
    rule,
    found,
    most,
    `The operation uses its variables so often that they have ${found} ${what}, if each use is counted; at most ${most} are allowed. Use each long variable once, or send several calls.`,
  )
