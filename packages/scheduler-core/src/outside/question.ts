import type { OutsideAnswer } from '../records/answer.ts'
import type { Reason } from '../text/reason.ts'
import type { HostIndex } from '../values/host-index.ts'
import type { JsonObject } from '../values/json.ts'
import type { ShownHost, ShownRequest } from './shown.ts'

/** What a filter or weigher outside of this process is asked before a decision: copies of the data that it may see, and nothing else. */
export interface Question extends Pick<OutsideAnswer, 'part' | 'kind' | 'by' | 'options' | 'unit'> {
  /** The index of the kind of instance in the request that the question is about. */
  readonly members: number
  /** The options with defaults filled in, as the filter or weigher expects them. */
  readonly parameters: JsonObject
  readonly multiplier: number
  readonly request: ShownRequest
  /** The hosts in ascending order. */
  readonly hosts: readonly HostIndex[]
  /** Parallel to `hosts`. */
  readonly documents: readonly ShownHost[]
  /** Hosts that do not report what the filter or weigher reads. They are not asked about: they are refused in any case. */
  readonly unreported: readonly { readonly host: HostIndex; readonly reason: Reason }[]
}
