import { type DocumentNode, getOperationAST, Kind, OperationTypeNode, parse } from 'graphql'

/** The operation that GraphiQL wants to run. */
export interface Asked {
  readonly query: string
  readonly operationName?: string | null
  readonly variables?: Record<string, unknown> | null
}

/**
 * The kind of the operation that GraphiQL would run. If the document has several operations and none is selected, the result is a mutation
 * if any of them is a mutation. Undefined if no operation can be selected. The service then reports the error.
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
    // While the operator types, the text is often incomplete. This is not an error.
    return undefined
  }
}
