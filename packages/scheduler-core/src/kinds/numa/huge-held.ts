import { createHostState } from '../host-state.ts'

/**
 * The memory of a host's huge pages in use, in MiB: `reported` in the report, `counted` held by materialised claims, `uncounted` held by
 * all other claims.
 */
export interface HugeMib {
  readonly reported: number
  readonly counted: number
  readonly uncounted: number
}

export const NO_HUGE_PAGES: HugeMib = { reported: 0, counted: 0, uncounted: 0 }

export const hugeHeld = createHostState<HugeMib>(NO_HUGE_PAGES)
