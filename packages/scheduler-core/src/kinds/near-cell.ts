import type { HostTable } from '../hosts/hosts.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'

export interface NearCell {
  readonly id: number
  readonly socket?: number
}

/** The requirement of a request that its devices are near the NUMA cells that its guest gets. */
export interface Nearness {
  on(hosts: HostTable, host: HostIndex, cells: readonly NearCell[]): NearnessOnHost
}

/** The requirement applied to one host. A cell is identified by its index in the list `cells` of `on`. */
export interface NearnessOnHost {
  /** The first shortfall of devices near the chosen cells. Undefined if enough devices are near. */
  shortOf(chosen: readonly number[]): Reason | undefined
  /** All shortfalls of devices near the chosen cells, one for each kind of device. */
  allShortOf(chosen: readonly number[]): readonly Reason[]
  /** False if no choice of `more` further unused cells, added to the chosen cells, brings enough devices near them. */
  canComplete(chosen: readonly number[], used: Uint8Array, more: number): boolean
  /**
   * Text that is equal for two cells exactly if the cells have the same devices for this request and, if the request depends on sockets,
   * the same socket.
   */
  traitOf(cell: number): string
  /** All inputs of the results as text. Hosts with the same text have the same results, which are therefore cached. */
  readonly key: string
}
