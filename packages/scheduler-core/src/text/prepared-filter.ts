import type { HostIndex } from '../values/host-index.ts'
import type { Fact } from './evidence.ts'
import type { Reason } from './reason.ts'

/** Hosts that have the requested resource at all, free or not; no other host can hold the request. */
export interface Havers {
  /** The hosts that pass, as text that follows "hosts": `with GPUs`. */
  readonly which: string
  has(host: HostIndex): boolean
  /** The reason for which a host without the resource is refused, with its numbers, independent of other hosts and of other shortfalls. */
  lacks(host: HostIndex): Reason
  /** Each single demand, if there are several. */
  readonly each?: readonly Single[]
}
export interface PreparedFilter {
  passes(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts?(host: HostIndex): readonly Fact[]
  /**
   * The hosts that have the requested resource at all. The cause of a refusal is about these hosts only (cause/admission.ts). Absent if
   * each host may have it.
   */
  havers?(): Havers | undefined
  /**
   * Each demand of a filter that admits hosts, in a fixed order: if no host meets a request, its cause says which demand excludes hosts
   * (cause/admission.ts). Absent: there is one demand.
   */
  each?(): readonly Single[]
  /**
   * The hosts that meet all demands, as text that follows "hosts", where the filter reads the request, or its options, otherwise than the
   * request says it. Absent: what `admits` says.
   */
  readonly which?: string
}

/** One of several demands of a filter: a trait, an image property, a list of aggregates. */
export interface Single {
  /** The hosts that meet the demand, as text that follows "hosts": `with CUSTOM_A`. */
  readonly which: string
  /** Present if the demand names hosts: a refusal is about these hosts even if another demand excludes all of them. */
  readonly isNames?: true
  /** Present if the demand names excluded hosts. */
  readonly isExclusion?: true
  /** Why a host that does not meet it is refused. Absent: the filter's reason for that host. */
  reasonAt?(host: HostIndex): Reason
  passes(host: HostIndex): boolean
}
