import { type ListSearch, readColumnsSearch } from '../../lib/browser/list-search.ts'

/** The query parameters of the keys' address; other parameters are dropped. */
export interface KeysSearch extends Pick<ListSearch, 'cols'> {
  /** Part of name, account, project or prefix. */
  readonly find?: string
  /** `yes`: ended keys are shown too. */
  readonly ended?: 'yes'
}

export function readKeysSearch({ find, ended, cols }: Record<string, unknown>): KeysSearch {
  return {
    ...(typeof find === 'string' && find !== '' ? { find } : {}),
    ...(ended === 'yes' ? { ended } : {}),
    ...readColumnsSearch({ cols }),
  }
}
