import type { HostView } from '../../services/host/host-view.ts'
import type { Hosts } from '../../services/host/hosts.ts'

/** Whether several nodes have the host's name, so that it is ambiguous alone. */
export const hasOtherNodes = ({ fleet, record }: HostView): boolean =>
  fleet.hosts.nodesOf(record.host).some((index) => index !== record.index)

/** Whether the name has several nodes, for hosts that may not exist. */
export function isOneOfSeveral(hosts: Pick<Hosts, 'find'>, { host, node }: { readonly host: string; readonly node: string }): boolean {
  const found = hosts.find({ host, node })
  return found !== undefined && hasOtherNodes(found)
}
