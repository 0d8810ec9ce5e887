import type { Code } from '../../text/codes.ts'

/** The reason why a host cannot satisfy a request: a code, and the needed and the available amount. Filters add it to their reasons. */
export interface Shortfall {
  readonly code: Code
  /** The guest cell, the requested devices, or the networks for which the host has too little. */
  readonly subject?: string
  readonly need?: number | string
  readonly have?: number | string
  readonly unit?: string
  /** The setting that limits which amounts can be used, such as a thread policy. Absent if there is no such setting. */
  readonly source?: string
  /** The id of the guest cell that did not fit, and of the host cell that was nearest to a fit. */
  readonly guestCell?: number
  readonly hostCell?: number
}
