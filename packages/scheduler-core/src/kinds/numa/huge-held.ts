import { createHostState } from '../host-state.ts'

/**
 * The MiB of huge pages of a host that are in use: as reported, held by claims of instances that the report counts, and held by other
 * claims.
 */
export interface HugeMib {
  readonly reported: number
  readonly counted: number
  readonly uncounted: number
}

export const hugeHeld = createHostState<HugeMib>({ reported: 0, counted: 0, uncounted: 0 })
