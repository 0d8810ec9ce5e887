import type { Code } from '../../codes.ts'

/** Why a host cannot give what is asked: the rule that refused, and its numbers. A filter hands it on as its reason. */
export interface Shortfall {
  readonly code: Code
  /** What is short: a cell of the host, a request for devices, networks. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /** Where the need comes from, where that is not an amount alone. */
  readonly source?: string
  /** The part of the guest that found no place, and the cell of the host that came nearest. */
  readonly guestCell?: number
  readonly hostCell?: number
}
