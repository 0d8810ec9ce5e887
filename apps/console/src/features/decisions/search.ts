/** What the address of the list says behind the question mark; everything else is left out. */
export interface DecisionsSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
}

export function readDecisionsSearch({ q }: Record<string, unknown>): DecisionsSearch {
  return typeof q === 'string' && q !== '' ? { q } : {}
}

/** What the address of one of them says. */
export type DecisionSearch = Readonly<Record<never, never>>

export function readDecisionSearch(_search: Record<string, unknown>): DecisionSearch {
  return {}
}
