/** A host as it stands in addresses and lists: `host`, or `host/node` where the node has a name of its own. */
export const nameOfHost = ({ hostName, node }: { readonly hostName: string; readonly node: string }): string =>
  hostName === node ? hostName : `${hostName}/${node}`

/** The other way. */
export function hostOfName(name: string): { readonly host: string; readonly node: string | null } {
  const slash = name.indexOf('/')
  return slash < 0 ? { host: name, node: null } : { host: name.slice(0, slash), node: name.slice(slash + 1) }
}
