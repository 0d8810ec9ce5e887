import type { Code } from '../codes.ts'
import type { Fact } from '../evidence.ts'
import type { HostName } from '../fleet/host-name.ts'
import type { Reason } from '../reason.ts'

/** Hosts refused for one code, by whichever filter. */
export interface Refusals {
  readonly code: Code
  readonly hosts: number
  /** Of the host that is nearest to passing it. */
  readonly example: Reason
}
export interface NearestHost {
  readonly name: HostName
  /** By each filter that refuses it, in the order in which the cause counts codes. Once all facts of all of them are mended, it takes the instance. */
  readonly refusals: readonly HostRefusal[]
}
export interface HostRefusal {
  readonly filter: string
  readonly reason: Reason
  readonly facts: readonly Fact[]
}
