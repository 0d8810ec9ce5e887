import { createHostState } from '../host-state.ts'

/** Huge pages of a host in use, MiB: by its report, by claims of instances that it counts, and by other claims. */
export interface HugeMib {
  readonly reported: number
  readonly counted: number
  readonly beside: number
}

export const hugeHeld = createHostState<HugeMib>({ reported: 0, counted: 0, beside: 0 })
