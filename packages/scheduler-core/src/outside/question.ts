import type { HostIndex } from '../host-index.ts'
import type { JsonObject } from '../json.ts'
import type { Reason } from '../reason.ts'
import type { OutsideAnswer } from './answer.ts'
import type { ShownHost, ShownRequest } from './shown.ts'

/** What a part outside of this process is asked before a decision: copies of what it may see, and nothing else. */
export interface Question extends Pick<OutsideAnswer, 'part' | 'kind' | 'by' | 'options' | 'unit'> {
  /** Which kind of the request's instances, by position. */
  readonly members: number
  /** The options as the part takes them, its defaults filled in. */
  readonly parameters: JsonObject
  readonly multiplier: number
  readonly request: ShownRequest
  /** Ascending. */
  readonly hosts: readonly HostIndex[]
  /** Parallel to `hosts`. */
  readonly documents: readonly ShownHost[]
  /** Hosts of which is not told what the part reads: what it would say of them is known. */
  readonly untold: readonly { readonly host: HostIndex; readonly reason: Reason }[]
}
