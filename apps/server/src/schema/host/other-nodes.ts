import type { HostView } from '../../services/host/host-view.ts'
import type { Hosts } from '../../services/host/hosts.ts'

/** True if several nodes have the host's name, so that the name alone is ambiguous. */
export const hasOtherNodes = ({ fleet, record }: HostView): boolean =>
  fleet.hosts.nodesOf(record.host).some((index) => index !== record.index)

/** True if a host has several nodes. False if the host does not exist. */
export function isOneOfSeveral(hosts: Pick<Hosts, 'find'>, { host, node }: { readonly host: string; readonly node: string }): boolean {
  const found = hosts.find({ host, node })
  return found !== undefined && hasOtherNodes(found)
}
