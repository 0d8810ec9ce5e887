import { type ListSearch, readListSearch } from '../../lib/list-search.ts'

/** What the address of the audit says behind the question mark; everything else is left out. */
export interface AuditSearch extends ListSearch {
  /** Id of the row that is open. */
  readonly row?: string
}

export function readAuditSearch({ row, ...search }: Record<string, unknown>): AuditSearch {
  return { ...readListSearch(search), ...(typeof row === 'string' && row !== '' ? { row } : {}) }
}
