/** What the address of the list says behind the question mark; everything else is left out. */
export interface HostsSearch {
  /** The filter, in the grammar of docs/query.md. */
  readonly q?: string
}

export function readHostsSearch({ q }: Record<string, unknown>): HostsSearch {
  return typeof q === 'string' && q !== '' ? { q } : {}
}

/** What the address of one host says. */
export interface HostSearch {
  /** The node, where the host has many. */
  readonly node?: string
}

export function readHostSearch({ node }: Record<string, unknown>): HostSearch {
  return typeof node === 'string' && node !== '' ? { node } : {}
}
