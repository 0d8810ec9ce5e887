import type { VariablesOf } from './graphql.ts'
import { useAt } from './travel.ts'
import { headerOf, type Operation } from './wire.ts'

/**
 * Adds the moment in the URL to the variables of a call, if the operation has the variable `$at`. `isPast` is true if a moment was added.
 */
export function useMoment<Doc extends Operation>(
  document: Doc,
  variables: VariablesOf<Doc>,
): { readonly asked: VariablesOf<Doc>; readonly isPast: boolean } {
  const at = useAt()
  const isPast = at !== undefined && headerOf(document).takesMoment
  return { asked: isPast ? ({ ...variables, at } as VariablesOf<Doc>) : variables, isPast }
}
