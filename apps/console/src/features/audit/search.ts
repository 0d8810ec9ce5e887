/** What the address of the audit says behind the question mark; everything else is left out. */
export interface AuditSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
  /** Id of the row that is open. */
  readonly row?: string
}

export function readAuditSearch({ q, row }: Record<string, unknown>): AuditSearch {
  return { ...(typeof q === 'string' && q !== '' ? { q } : {}), ...(typeof row === 'string' && row !== '' ? { row } : {}) }
}
