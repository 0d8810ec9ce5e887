import type { Code } from '../text/codes.ts'
import type { Fact } from '../text/evidence.ts'
import type { Reason } from '../text/reason.ts'
import type { HostName } from '../values/host-name.ts'

/** A reason code, and the count of hosts that a filter refuses with this code. */
export interface Refusals {
  readonly code: Code
  readonly hosts: number
  /** The reason for one of these hosts: the host with the smallest shortfall. */
  readonly example: Reason
}
export interface NearestHost {
  readonly name: HostName
  /** The name of the host in sentences. If the host has several nodes, HOST/NODE. */
  readonly address: string
  /**
   * The refusal by each filter that refuses the host, in the order of the codes in `Cause.refusals`. If all these refusals are resolved,
   * the host takes the instance.
   */
  readonly refusals: readonly HostRefusal[]
}
export interface HostRefusal {
  readonly filter: string
  readonly reason: Reason
  readonly facts: readonly Fact[]
}
