/**
 * The identity of a host: the pair of host name and node name. Usually, the two names are equal. They differ if one host has several nodes.
 */
export interface HostName {
  readonly host: string
  readonly node: string
}
