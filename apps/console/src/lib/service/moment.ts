import type { VariablesOf } from './graphql.ts'
import { useAt } from './travel.ts'
import { headerOf, type Operation } from './wire.ts'

/** The variables of a call, with the moment of the address if the operation takes one. `isPast`: the moment was added. */
export function useMoment<Doc extends Operation>(
  document: Doc,
  variables: VariablesOf<Doc>,
): { readonly asked: VariablesOf<Doc>; readonly isPast: boolean } {
  const at = useAt()
  const isPast = at !== undefined && headerOf(document).takesMoment
  return { asked: isPast ? ({ ...variables, at } as VariablesOf<Doc>) : variables, isPast }
}
