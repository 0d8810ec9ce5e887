/** The names of a host to show. The label includes the node if the host name alone could also mean other nodes. */
export interface ShownHost {
  readonly host: string
  readonly node: string
  /** True if other nodes with the same host name are in the fleet. */
  readonly hasOtherNodes?: boolean | undefined
}

/** HOST, or HOST/NODE if the node has its own name or the host has other nodes. Commands print and read the same form. */
export const hostLabel = ({ host, node, hasOtherNodes = false }: ShownHost): string =>
  host === node && !hasOtherNodes ? host : `${host}/${node}`

/** The label of a host in an answer. */
export const labelOfHost = ({ name, node, hasOtherNodes }: { readonly name: string } & Omit<ShownHost, 'host'>): string =>
  hostLabel({ host: name, node, hasOtherNodes })
