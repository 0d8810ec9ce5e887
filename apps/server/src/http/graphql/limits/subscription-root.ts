import { type DocumentNode, getOperationAST, Kind, type SelectionSetNode } from 'graphql'
import { fault } from '../../../schema/types/faults.ts'

/**
 * Refuses a subscription whose root field can be left out by `@skip` or `@include`, because a subscription without a field has no stream.
 * GraphQL forbids these directives there too ("Single Root Field").
 */
export function checkSubscriptionRoot(document: DocumentNode, operationName: string | undefined): void {
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== 'subscription') return
  const visited = new Set<string>()
  const isConditional = ({ selections }: SelectionSetNode): boolean =>
    selections.some((selection) => {
      if (selection.directives?.some(({ name }) => name.value === 'skip' || name.value === 'include')) return true
      if (selection.kind === Kind.FIELD) return false
      if (selection.kind === Kind.INLINE_FRAGMENT) return isConditional(selection.selectionSet)
      const spread = selection.name.value
      if (visited.has(spread)) return false
      visited.add(spread)
      const fragment = document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === spread)
      return fragment?.kind === Kind.FRAGMENT_DEFINITION && isConditional(fragment.selectionSet)
    })
  if (isConditional(operation.selectionSet))
    throw fault('GRAPHQL_VALIDATION_FAILED', 'The field of a subscription has @skip or @include; send the subscription without them.', {
      rule: 'graphql.subscription_root',
      allowed: 'a field without @skip and @include',
    })
}
