/** What names a host in the list that one came from. */
export interface ListedHost {
  readonly host: string
  readonly node: string
}

export const keyOfHost = ({ host, node }: ListedHost): string => `${encodeURIComponent(host)}/${encodeURIComponent(node)}`

export function hostOfKey(key: string): ListedHost {
  const [host = '', node = ''] = key.split('/').map(decodeURIComponent)
  return { host, node }
}

/** The host that was looked at last: the cursor of the list is there for who comes back. */
let opened: ListedHost | undefined

export const lastOpened = (): ListedHost | undefined => opened

export function rememberOpened(host: ListedHost): void {
  opened = host
}
