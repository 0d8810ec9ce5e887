/** What the address of the list says behind the question mark; everything else is left out. */
export interface AggregatesSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
}

export function readAggregatesSearch({ q }: Record<string, unknown>): AggregatesSearch {
  return typeof q === 'string' && q !== '' ? { q } : {}
}

/** What the address of one aggregate says. */
export interface AggregateSearch {
  /** Part of the names of the members that are shown. */
  readonly find?: string
  /** `yes`: the draft is open. */
  readonly edit?: 'yes'
}

export function readAggregateSearch({ find, edit }: Record<string, unknown>): AggregateSearch {
  return { ...(typeof find === 'string' && find !== '' ? { find } : {}), ...(edit === 'yes' ? { edit } : {}) }
}
