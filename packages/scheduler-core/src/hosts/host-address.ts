import type { HostName } from '../values/host-name.ts'
import { type HostRecord, hostKey } from './host-record.ts'
import type { HostTable } from './hosts.ts'

/** The text that identifies a host for users. It includes the node name if several present nodes have the same host name. */
export const hostAddress = (hosts: Pick<HostTable, 'nodesOf'>, name: HostName): string =>
  hosts.nodesOf(name.host).length > 1 ? `${name.host}/${name.node}` : hostKey(name)

/**
 * The host with a key, even if the host has left the fleet. Names in older data can contain slashes, so each slash of the key is tried as
 * the separator of host and node.
 */
export function hostOfKey(hosts: HostTable, key: string): HostRecord | undefined {
  for (let slash = -1; ; slash = key.indexOf('/', slash + 1)) {
    const name = slash < 0 ? { host: key, node: key } : { host: key.slice(0, slash), node: key.slice(slash + 1) }
    const found = hosts.findEver(name)
    if (found !== undefined && hostKey(name) === key) return found
    if (key.indexOf('/', slash + 1) < 0) return undefined
  }
}

/** The `hostAddress` of the host with a key. The key itself if there is no such host. */
export function addressOfKey(hosts: HostTable, key: string): string {
  const found = hostOfKey(hosts, key)
  return found === undefined ? key : hostAddress(hosts, found)
}
