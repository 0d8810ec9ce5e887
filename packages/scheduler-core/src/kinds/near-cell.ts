/** The properties of a host cell that the choice of devices reads. */

import type { HostTable } from '../hosts/hosts.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'

export interface NearCell {
  readonly id: number
  readonly socket?: number
}

/** The requirements of a request's devices for the cells that its guest gets. */
export interface Nearness {
  on(hosts: HostTable, host: HostIndex, cells: readonly NearCell[]): NearnessOnHost
}

/** The requirements for the cells of one host. A cell is numbered by its position in the list with which this object was created. */
export interface NearnessOnHost {
  /** The devices that are missing near a choice of cells. Undefined if all devices are near. */
  shortOf(chosen: readonly number[]): Reason | undefined
  /** All devices that are missing near the cells, for each kind of device separately. */
  allShortOf(chosen: readonly number[]): readonly Reason[]
  /** False if there is no choice of `more` further cells that has enough devices near it together with the chosen cells. */
  mayStill(chosen: readonly number[], used: Uint8Array, more: number): boolean
  /** A text with everything by which cells differ for this request: devices and socket. */
  traitOf(cell: number): string
  /** All inputs of the results as text. Hosts with the same text have the same results. */
  readonly key: string
}
