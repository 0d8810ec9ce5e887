import type { HostView } from '../services/host-view.ts'
import type { Hosts } from '../services/hosts.ts'

/** Whether the name of its host alone means other nodes too. */
export const hasOtherNodes = ({ fleet, record }: HostView): boolean =>
  fleet.hosts.nodesOf(record.host).some((index) => index !== record.index)

/** The same of a name, for hosts that may not be there. */
export function isOneOfSeveral(hosts: Pick<Hosts, 'find'>, { host, node }: { readonly host: string; readonly node: string }): boolean {
  const found = hosts.find({ host, node })
  return found !== undefined && hasOtherNodes(found)
}
