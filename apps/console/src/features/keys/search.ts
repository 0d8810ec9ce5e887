import { type ListSearch, readColumnsSearch } from '../../lib/list-search.ts'

/** What the address of the keys says behind the question mark; everything else is left out. */
export interface KeysSearch extends Pick<ListSearch, 'cols'> {
  /** Part of name, account, project or prefix. */
  readonly find?: string
  /** `yes`: keys that ended too. */
  readonly ended?: 'yes'
}

export function readKeysSearch({ find, ended, cols }: Record<string, unknown>): KeysSearch {
  return {
    ...(typeof find === 'string' && find !== '' ? { find } : {}),
    ...(ended === 'yes' ? { ended } : {}),
    ...readColumnsSearch({ cols }),
  }
}
