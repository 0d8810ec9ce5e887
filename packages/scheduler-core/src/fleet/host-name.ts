/** Identity of a host: the host's name and, for drivers with many nodes, the node's; equal where there is one. */
export interface HostName {
  readonly host: string
  readonly node: string
}
