import { type DocumentNode, getOperationAST, Kind, OperationTypeNode, parse } from 'graphql'

/** The operation that GraphiQL wants to run. */
export interface Asked {
  readonly query: string
  readonly operationName?: string | null
  readonly variables?: Record<string, unknown> | null
}

/**
 * The operation that would run. If it is ambiguous, because none of several operations is selected, a mutation counts
 * as selected; undefined if there is no operation: the service then reports the error.
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
