/** What the address of the list says behind the question mark; everything else is left out. */
export interface ClaimsSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
}

export function readClaimsSearch({ q }: Record<string, unknown>): ClaimsSearch {
  return typeof q === 'string' && q !== '' ? { q } : {}
}
