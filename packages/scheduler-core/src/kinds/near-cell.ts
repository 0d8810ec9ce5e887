/** A cell of a host as far as devices are concerned. */

import type { HostTable } from '../hosts/hosts.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'

export interface NearCell {
  readonly id: number
  readonly socket?: number
}

/** What the devices of a request require of the cells that its guest gets. */
export interface Nearness {
  on(hosts: HostTable, host: HostIndex, cells: readonly NearCell[]): NearnessOnHost
}

/** Conditions on cells, which are numbered by their positions in the list that this object was created with. */
export interface NearnessOnHost {
  /** The devices that are missing near a choice of cells; undefined if all devices are near. */
  shortOf(chosen: readonly number[]): Reason | undefined
  /** All devices that are missing near the cells, for each kind of device separately. */
  allShortOf(chosen: readonly number[]): readonly Reason[]
  /** False if no choice of this many further cells, in addition to the chosen ones, has enough devices near. */
  mayStill(chosen: readonly number[], used: Uint8Array, more: number): boolean
  /** The devices and the socket by which a cell differs from others for this request. */
  traitOf(cell: number): string
  /** All inputs of the results as text: hosts with the same text have the same results. */
  readonly key: string
}
