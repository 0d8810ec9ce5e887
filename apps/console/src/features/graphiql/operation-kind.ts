import { type DocumentNode, getOperationAST, Kind, OperationTypeNode, parse } from 'graphql'

/** What GraphiQL wants to have run. */
export interface Asked {
  readonly query: string
  readonly operationName?: string | null
  readonly variables?: Record<string, unknown> | null
}

/**
 * What would run. Where that is not clear, since several operations have no name chosen among them, a mutation counts as chosen;
 * undefined where there is nothing that could: the service says what is wrong with it.
 */
export function kindOf({ query, operationName }: Asked): OperationTypeNode | undefined {
  const document = tryParse(query)
  if (document === undefined) return undefined
  const chosen = getOperationAST(document, operationName)
  if (chosen) return chosen.operation
  const hasMutation = document.definitions.some(
    (one) => one.kind === Kind.OPERATION_DEFINITION && one.operation === OperationTypeNode.MUTATION,
  )
  return hasMutation ? OperationTypeNode.MUTATION : undefined
}

function tryParse(query: string): DocumentNode | undefined {
  try {
    return parse(query)
  } catch {
    // half-written text is the normal state of an editor
    return undefined
  }
}
