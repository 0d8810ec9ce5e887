import type { Fact } from './evidence.ts'
import type { HostIndex } from './host-index.ts'
import type { Reason } from './reason.ts'

/** Hosts that have any of what a request asks for, whatever is free of it there: the others are of no use to it, however many they are. */
export interface Havers {
  /** Which they are, in words that follow "hosts": `with GPUs`. */
  readonly which: string
  has(host: HostIndex): boolean
  /** Why a host that has none is refused, with its numbers: by what it has itself, whatever else it lacks and others have. */
  lacks(host: HostIndex): Reason
  /** Each thing by itself, where several are asked for. */
  readonly each?: readonly Single[]
}
export interface PreparedFilter {
  passes(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts?(host: HostIndex): readonly Fact[]
  /** Which hosts have any of what the filter asks for. The cause of a refusal speaks of them alone (cause/admission.ts). Absent: each may have it. */
  havers?(): Havers | undefined
  /**
   * Each thing that it asks for by itself, in one order however it was written, of a filter that admits: a request that no host meets says
   * which of them shuts hosts out (cause/admission.ts). Absent: it asks for one thing.
   */
  each?(): readonly Single[]
}

/** One of several things that a filter asks for: a trait, an image property, a list of aggregates. */
export interface Single {
  /** Which hosts have it, in words that follow "hosts": `with CUSTOM_A`. */
  readonly which: string
  /** Present where it names hosts: of those a refusal speaks though something else that is asked for leaves none. */
  readonly isNames?: true
  /** Present where it says which hosts are left out, not which are meant. */
  readonly isExclusion?: true
  /** Why a host that does not have it is refused. Absent: what the filter says of that host. */
  reasonAt?(host: HostIndex): Reason
  passes(host: HostIndex): boolean
}
