import type { HostIndex } from '../values/host-index.ts'
import type { Fact } from './evidence.ts'
import type { Reason } from './reason.ts'

/** The hosts that have the requested resource, free or in use. No other host could take the request even if it were empty. */
export interface Havers {
  /** Describes these hosts, as text that follows "hosts": `with GPUs`. */
  readonly which: string
  has(host: HostIndex): boolean
  /** The reason for which a host without the resource is refused. It depends only on this host and this resource. */
  lacks(host: HostIndex): Reason
  /** The demands for the single resources, if the request needs several. */
  readonly each?: readonly Single[]
}
export interface PreparedFilter {
  passes(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts?(host: HostIndex): readonly Fact[]
  /**
   * The hosts that have the requested resource. If a request is refused, its cause is about these hosts only (cause/admission.ts). Absent
   * if every host may have the resource.
   */
  havers?(): Havers | undefined
  /**
   * The single demands of the filter, in a fixed order, if it determines which hosts a request admits. If a request is refused, its cause
   * names the demand that excludes the hosts (cause/admission.ts). Absent if there is only one demand.
   */
  each?(): readonly Single[]
  /**
   * Describes the hosts that meet all demands, as text that follows "hosts". Present only if the options of the filter change the meaning
   * of the request, so that the text of `admits` would be wrong.
   */
  readonly which?: string
}

/** One of several demands of a filter: a trait, an image property, a list of aggregates. */
export interface Single {
  /** Describes the hosts that meet the demand, as text that follows "hosts": `with CUSTOM_A`. */
  readonly which: string
  /** Present if the demand names hosts. The cause of a refusal is about the named hosts even if another demand excludes all of them. */
  readonly isNames?: true
  /** Present if the demand names hosts that it excludes. */
  readonly isExclusion?: true
  /** The reason for which a host that does not meet the demand is refused. If absent, the reason of the filter is used. */
  reasonAt?(host: HostIndex): Reason
  passes(host: HostIndex): boolean
}
