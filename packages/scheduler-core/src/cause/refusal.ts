import type { Code } from '../text/codes.ts'
import type { Fact } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import type { HostName } from '../values/host-name.ts'

/** The hosts that are refused for one code, by any filter. */
export interface Refusals {
  readonly code: Code
  readonly hosts: number
  /** The shortfall of the host that is nearest to passing. */
  readonly example: Reason
}
export interface NearestHost {
  readonly name: HostName
  /** The name of the host in sentences. It includes the node if the host has several nodes. */
  readonly address: string
  /**
   * The shortfalls by each filter that refuses the host, in the order in which the cause counts codes. If all shortfalls are resolved, the
   * host takes the instance.
   */
  readonly refusals: readonly HostRefusal[]
}
export interface HostRefusal {
  readonly filter: string
  readonly reason: Reason
  readonly facts: readonly Fact[]
}
