import { type ListSearch, readListSearch } from '../../lib/browser/list-search.ts'

/** The query parameters of the audit's URL. Unknown parameters are dropped. */
export interface AuditSearch extends ListSearch {
  /** Id of the row that is open. */
  readonly row?: string
}

export function readAuditSearch({ row, ...search }: Record<string, unknown>): AuditSearch {
  return { ...readListSearch(search), ...(typeof row === 'string' && row !== '' ? { row } : {}) }
}
