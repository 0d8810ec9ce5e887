import { type ListSearch, readColumnsSearch } from '../../lib/browser/list-search.ts'

/** The query parameters of the list of keys. Unknown parameters are dropped. */
export interface KeysSearch extends Pick<ListSearch, 'cols'> {
  /** Only keys whose name, account, project or prefix contains this text are shown. */
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
