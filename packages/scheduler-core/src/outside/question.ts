import type { OutsideAnswer } from '../records/answer.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonObject } from '../values/json.ts'
import type { ShownHost, ShownRequest } from './shown.ts'

/** The input of a filter or weigher outside of this process before a decision: copies of the data that it may see, and nothing else. */
export interface Question extends Pick<OutsideAnswer, 'part' | 'kind' | 'by' | 'options' | 'unit'> {
  /** The question is about this kind of instances, given by its position in the request. */
  readonly members: number
  /** The options with defaults filled in, as the part expects them. */
  readonly parameters: JsonObject
  readonly multiplier: number
  readonly request: ShownRequest
  /** The hosts in ascending order. */
  readonly hosts: readonly HostIndex[]
  /** Parallel to `hosts`. */
  readonly documents: readonly ShownHost[]
  /** Hosts that do not report what the part reads. They are refused in any case, so they are not in the question. */
  readonly unreported: readonly { readonly host: HostIndex; readonly reason: Reason }[]
}
