import type { Code } from '../../text/codes.ts'

/** Why a host cannot satisfy the request: the code of the rule that refused, and its amounts. A filter returns it as its reason. */
export interface Shortfall {
  readonly code: Code
  /** What the host lacks: cells, requested devices, or networks. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /** The source of the requirement, if that is not only an amount. */
  readonly source?: string
  /** The part of the guest that did not fit, and the cell of the host that came nearest. */
  readonly guestCell?: number
  readonly hostCell?: number
}
