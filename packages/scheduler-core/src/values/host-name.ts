/** The identity of a host: the pair of host name and node name. The two names differ only if one host has several nodes. */
export interface HostName {
  readonly host: string
  readonly node: string
}
