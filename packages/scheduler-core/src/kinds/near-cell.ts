/** A cell of a host as far as devices are concerned. */

import type { HostTable } from '../fleet/hosts.ts'
import type { HostIndex } from '../host-index.ts'
import type { Reason } from '../reason.ts'

export interface NearCell {
  readonly id: number
  readonly socket?: number
}

/** What devices of a request want of the cells that its guest gets. */
export interface Nearness {
  on(hosts: HostTable, host: HostIndex, cells: readonly NearCell[]): NearnessOnHost
}

/** Cells by their positions in the list that it was made with. */
export interface NearnessOnHost {
  /** What is short near a choice of cells; undefined: it has all devices near. */
  shortOf(chosen: readonly number[]): Reason | undefined
  /** All that is short near it, each sort of devices by itself. */
  allShortOf(chosen: readonly number[]): readonly Reason[]
  /** False: no choice of so many cells more, beside those chosen, has enough devices near. */
  mayStill(chosen: readonly number[], used: Uint8Array, more: number): boolean
  /** The devices and the socket by which a cell differs from others for this request. */
  traitOf(cell: number): string
  /** All that the answers depend on, as text: hosts with the same one have the same answers. */
  readonly key: string
}
