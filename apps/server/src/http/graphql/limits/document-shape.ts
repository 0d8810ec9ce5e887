import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionNode, type SelectionSetNode } from 'graphql'
import { fault } from '../../../schema/types/faults.ts'
import { checkLimit, limits, overLimit } from '../../limits.ts'

/** The size of a selection set. A fragment is counted once for each spread. */
interface Shape {
  /** The nesting depth of fields, without introspection. */
  readonly depth: number
  /** The nesting depth of introspection, including `__schema` or `__type`. */
  readonly introspectionDepth: number
  /** How many fields the set itself selects. */
  readonly width: number
  /** How many fields are selected in total, including nested ones. */
  readonly fields: number
  readonly aliases: number
  readonly directives: number
}

const NOTHING: Shape = { depth: 0, introspectionDepth: 0, width: 0, fields: 0, aliases: 0, directives: 0 }

/** Counts visited selections. Tests use it to limit the work. */
export interface Work {
  steps: number
}

/**
 * Refuses a document that is too large, before it is validated, because validation would take long. Every selection is visited once, so the
 * work is linear in the length of the text, even if a fragment is spread many times. Throws an error that names the exceeded limit.
 */
export function checkShape(document: DocumentNode, work: Work = { steps: 0 }): void {
  checkLimit('fragments', document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION).length, limits.fragments)
  const walk = createWalk(document, work)
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) checkShapeOf(walk.ofFragment(definition), limits.introspectionDepth)
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const shape = walk.ofSelections(definition.selectionSet)
    const outside = [definition, ...(definition.variableDefinitions ?? [])].map(({ directives }) => directives?.length ?? 0)
    checkShapeOf({ ...shape, directives: outside.reduce((sum, count) => sum + count, shape.directives) }, limits.depth)
    checkLimit('root fields', shape.width, limits.rootFields)
  }
}

/**
 * Checks all limits. For a fragment, `maxDepth` is the larger limit of introspection, because an introspection query may contain the
 * fragment. The operation that uses the fragment is checked with its own limit.
 */
function checkShapeOf({ depth, introspectionDepth, aliases, directives, fields }: Shape, maxDepth: number): void {
  checkLimit('depth', depth, maxDepth)
  checkLimit('introspection depth', introspectionDepth, limits.introspectionDepth)
  checkLimit('aliases', aliases, limits.aliases)
  checkLimit('directives', directives, limits.directives)
  checkLimit('fields', fields, limits.fields)
}

function createWalk(document: DocumentNode, work: Work) {
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const node of document.definitions) if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node)
  /** The shapes of fragments; null while one is being computed. */
  const known = new Map<string, Shape | null>()

  const ofSelections = ({ selections }: SelectionSetNode): Shape => {
    checkRepeats(selections)
    return selections.map(ofSelection).reduce(both, NOTHING)
  }
  const ofSelection = (node: SelectionNode): Shape => {
    work.steps++
    const directives = node.directives?.length ?? 0
    if (node.kind === Kind.FIELD) return ofField(node, directives)
    const inner = node.kind === Kind.INLINE_FRAGMENT ? ofSelections(node.selectionSet) : ofSpread(node.name.value)
    return { ...inner, directives: inner.directives + directives }
  }
  const ofField = (node: FieldNode, directives: number): Shape => {
    const inner = node.selectionSet === undefined ? NOTHING : ofSelections(node.selectionSet)
    const name = node.name.value
    const isMeta = name === '__schema' || name === '__type'
    return {
      depth: isMeta || name === '__typename' ? 0 : 1 + inner.depth,
      introspectionDepth: isMeta ? 1 + Math.max(inner.depth, inner.introspectionDepth) : inner.introspectionDepth,
      width: 1,
      fields: 1 + inner.fields,
      aliases: (node.alias === undefined ? 0 : 1) + inner.aliases,
      directives: directives + inner.directives,
    }
  }
  const ofSpread = (name: string): Shape => {
    const fragment = fragments.get(name)
    // validation reports missing fragments
    return fragment === undefined ? NOTHING : ofFragment(fragment)
  }
  const ofFragment = ({ name: { value: name }, selectionSet, directives }: FragmentDefinitionNode): Shape => {
    const found = known.get(name)
    if (found === null)
      throw fault('GRAPHQL_VALIDATION_FAILED', `The fragment ${name.slice(0, 80)} is spread within itself.`, {
        rule: 'document.valid',
        found: name.slice(0, 80),
        allowed: 'fragments that are not spread within themselves',
      })
    if (found !== undefined) return found
    known.set(name, null)
    const inner = ofSelections(selectionSet)
    const shape = { ...inner, directives: inner.directives + (directives?.length ?? 0) }
    known.set(name, shape)
    return shape
  }
  return { ofSelections, ofFragment }
}

/** The shape of two selections in one selection set. */
const both = (a: Shape, b: Shape): Shape => ({
  depth: Math.max(a.depth, b.depth),
  introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
  width: a.width + b.width,
  fields: a.fields + b.fields,
  aliases: a.aliases + b.aliases,
  directives: a.directives + b.directives,
})

/** Refuses a selection set with the same field or the same spread too often. */
function checkRepeats(selections: readonly SelectionNode[]): void {
  if (selections.length <= limits.repeats) return
  const counts = new Map<string, number>()
  for (const node of selections) {
    if (node.kind === Kind.INLINE_FRAGMENT) continue
    const name = node.kind === Kind.FIELD ? (node.alias ?? node.name).value : `...${node.name.value}`
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  for (const [name, count] of counts)
    if (count > limits.repeats)
      throw overLimit(
        'repeats',
        count,
        limits.repeats,
        `${name.slice(0, 80)} is selected ${count} times at one position; at most ${limits.repeats} times are allowed.`,
      )
}
