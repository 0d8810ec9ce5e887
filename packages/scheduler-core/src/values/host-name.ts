/** Identity of a host: the host's name and the node's, which differ only for drivers with many nodes. */
export interface HostName {
  readonly host: string
  readonly node: string
}
