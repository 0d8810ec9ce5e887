/** The identity of a host: its host name and its node name. They differ only for drivers with many nodes. */
export interface HostName {
  readonly host: string
  readonly node: string
}
