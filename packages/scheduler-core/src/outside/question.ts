import type { OutsideAnswer } from '../records/answer.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonObject } from '../values/json.ts'
import type { ShownHost, ShownRequest } from './shown.ts'

/**
 * The input of one call of a filter or weigher outside of this process. It has copies of only the data that the filter or weigher may see.
 */
export interface Question extends Pick<OutsideAnswer, 'part' | 'kind' | 'by' | 'options' | 'unit'> {
  /** The index, in the result of `membersOf`, of the group of instances that the call is about. */
  readonly members: number
  /** The options with defaults filled in, as the filter or weigher expects them. */
  readonly parameters: JsonObject
  readonly multiplier: number
  readonly request: ShownRequest
  /** The hosts in ascending order. */
  readonly hosts: readonly HostIndex[]
  /** The data of each host, in the order of `hosts`. */
  readonly documents: readonly ShownHost[]
  /** Hosts that do not report a field that the filter or weigher reads. They are refused without a call. */
  readonly unreported: readonly { readonly host: HostIndex; readonly reason: Reason }[]
}
