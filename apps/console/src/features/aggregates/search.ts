/** What the address of the list says behind the question mark; everything else is left out. */
export interface AggregatesSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
}

export function readAggregatesSearch({ q }: Record<string, unknown>): AggregatesSearch {
  return typeof q === 'string' && q !== '' ? { q } : {}
}

/** What the address of one of them says. */
export type AggregateSearch = Readonly<Record<never, never>>

export function readAggregateSearch(_search: Record<string, unknown>): AggregateSearch {
  return {}
}
