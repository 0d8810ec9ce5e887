import { hostLabel, type ShownHost } from '../../lib/host-label.ts'

/** The key of a host in URLs and lists: `host`, or `host/node` if the node has another name. `shownHost` returns the text to show. */
export const nameOfHost = ({ hostName, node }: { readonly hostName: string; readonly node: string }): string =>
  hostName === node ? hostName : `${hostName}/${node}`

/** The label of a host. It contains the node if other nodes have the same host name. */
export const shownHost = ({ hostName, ...names }: { readonly hostName: string } & Omit<ShownHost, 'host'>): string =>
  hostLabel({ host: hostName, ...names })

/** The label of a host in an explanation. The host can have left the fleet since the decision. */
export const shownOf = ({
  hostName,
  node,
  host,
}: {
  readonly hostName: string
  readonly node: string
  readonly host: { readonly hasOtherNodes: boolean } | null
}): string => shownHost({ hostName, node, hasOtherNodes: host?.hasOtherNodes })

const outcomes: Readonly<Record<string, string>> = { FILTERED: 'refused', SELECTED: 'chosen', ALTERNATE: 'alternate', UNKNOWN: 'absent' }

/** What a decision did with a host, in the words of the console. */
export const hostOutcomeText = (outcome: string): string => outcomes[outcome] ?? outcome.toLowerCase().replaceAll('_', ' ')

/** Parses a key that `nameOfHost` made. */
export function hostOfName(name: string): { readonly host: string; readonly node: string | null } {
  const slash = name.indexOf('/')
  return slash < 0 ? { host: name, node: null } : { host: name.slice(0, slash), node: name.slice(slash + 1) }
}
