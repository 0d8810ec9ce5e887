import type { HostIndex } from '../values/host-index.ts'
import type { Fact } from './evidence.ts'
import type { Reason } from './reason.ts'

/** The hosts that have the requested resource at all, free or in use. No other host can hold the request. */
export interface Havers {
  /** The hosts as text that follows "hosts": `with GPUs`. */
  readonly which: string
  has(host: HostIndex): boolean
  /** The reason for refusing a host without the resource, with its numbers. It does not depend on other hosts or other shortfalls. */
  lacks(host: HostIndex): Reason
  /** The single demands, if there are several. */
  readonly each?: readonly Single[]
}
export interface PreparedFilter {
  passes(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts?(host: HostIndex): readonly Fact[]
  /**
   * The hosts that have the requested resource at all. The cause of a refusal is about these hosts only (cause/admission.ts). Absent if
   * every host may have it.
   */
  havers?(): Havers | undefined
  /**
   * The demands of a filter that admits hosts, in a fixed order. If no host meets a request, its cause names the demand that excludes hosts
   * (cause/admission.ts). Absent: there is one demand.
   */
  each?(): readonly Single[]
  /**
   * The hosts that meet all demands, as text that follows "hosts". Present if it differs from the text of `admits`, because the filter's
   * options or rules change the request's meaning.
   */
  readonly which?: string
}

/** One of several demands of a filter: a trait, an image property, a list of aggregates. */
export interface Single {
  /** The hosts that meet the demand, as text that follows "hosts": `with CUSTOM_A`. */
  readonly which: string
  /** Present if the demand names hosts. A refusal is about these hosts even if another demand excludes all of them. */
  readonly isNames?: true
  /** Present if the demand names excluded hosts. */
  readonly isExclusion?: true
  /** The reason for refusing a host that does not meet the demand. Absent: the filter's reason for that host. */
  reasonAt?(host: HostIndex): Reason
  passes(host: HostIndex): boolean
}
