/** A host of the list from which its page was opened. */
export interface ListedHost {
  readonly host: string
  readonly node: string
}

export const keyOfHost = ({ host, node }: ListedHost): string => `${encodeURIComponent(host)}/${encodeURIComponent(node)}`

export function hostOfKey(key: string): ListedHost {
  const [host = '', node = ''] = key.split('/').map(decodeURIComponent)
  return { host, node }
}

/** The host whose page was shown last. When the operator returns to the list, the cursor is on this host. */
let opened: ListedHost | undefined

export const lastOpened = (): ListedHost | undefined => opened

export function rememberOpened(host: ListedHost): void {
  opened = host
}
