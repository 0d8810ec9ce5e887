/** What the address of the keys says behind the question mark; everything else is left out. */
export interface KeysSearch {
  /** Part of name, account, project or prefix. */
  readonly find?: string
  /** `yes`: keys that ended too. */
  readonly ended?: 'yes'
}

export function readKeysSearch({ find, ended }: Record<string, unknown>): KeysSearch {
  return { ...(typeof find === 'string' && find !== '' ? { find } : {}), ...(ended === 'yes' ? { ended } : {}) }
}
