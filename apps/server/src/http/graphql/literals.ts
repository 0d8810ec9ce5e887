import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  print,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import { fault } from '../../schema/types/faults.ts'
import { allowedIn } from './coercion.ts'

/** At most this many errors of a document are listed. */
const MAX_ERRORS = 50

/**
 * Errors of validation in this service's form: the position in the document, the value found and the values allowed, without long
 * quotations, and without suggestions of similar names.
 */
export function documentFaults(schema: GraphQLSchema, document: DocumentNode, errors: readonly GraphQLError[]): GraphQLError[] {
  const places = findPlaces(schema, document, new Set(errors.flatMap(({ nodes }) => nodes?.[0] ?? [])))
  return errors.slice(0, MAX_ERRORS).map((error) => {
    const node = error.nodes?.[0]
    const place = node === undefined ? undefined : places.get(node)
    return fault('GRAPHQL_VALIDATION_FAILED', shorten(error.message), {
      rule: 'document.valid',
      ...(place ? { path: place.path } : {}),
      ...(place?.found === undefined ? {} : { found: shorten(place.found, 80) }),
      ...(place?.allowed === undefined ? {} : { allowed: place.allowed }),
    })
  })
}

interface Place {
  readonly path: string[]
  readonly found?: string
  readonly allowed?: string
}

function findPlaces(schema: GraphQLSchema, document: DocumentNode, wanted: ReadonlySet<ASTNode>): Map<ASTNode, Place> {
  const places = new Map<ASTNode, Place>()
  if (wanted.size === 0) return places
  const info = new TypeInfo(schema)
  const visitor: ASTVisitor = {
    enter(node, key, parent, _path, ancestors) {
      if (!wanted.has(node)) return
      const type = info.getInputType()
      const isValue = node.kind.endsWith('Value') || node.kind === Kind.OBJECT_FIELD
      const indexes = Array.isArray(parent) && typeof key === 'number' && isList(ancestors.at(-1)) ? [String(key)] : []
      places.set(node, {
        path: [...pathOf([...ancestors, ...(parent === undefined ? [] : [parent]), node]), ...indexes],
        ...(isValue ? { found: printed(node) } : {}),
        ...(isValue && type ? { allowed: allowedIn(type) } : {}),
      })
    },
  }
  visit(document, visitWithTypeInfo(info, visitor))
  return places
}

const isList = (node: unknown): boolean => (node as ASTNode | undefined)?.kind === Kind.LIST

/** The names of the fields, arguments and input fields that lead to a node of the document. */
function pathOf(ancestors: readonly (ASTNode | readonly ASTNode[])[]): string[] {
  return ancestors.flatMap((ancestor) => {
    if (Array.isArray(ancestor)) return []
    const node = ancestor as ASTNode
    if (node.kind === Kind.FIELD) return [(node.alias ?? node.name).value.slice(0, 80)]
    return node.kind === Kind.ARGUMENT || node.kind === Kind.OBJECT_FIELD ? [node.name.value.slice(0, 80)] : []
  })
}

const printed = (node: ASTNode): string =>
  'value' in node && typeof node.value === 'string' ? node.value.slice(0, 100) : print(node).slice(0, 100)

const shorten = (text: string, most = 300): string => (text.length > most ? `${text.slice(0, most - 3)}...` : text)
