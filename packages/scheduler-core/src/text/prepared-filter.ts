import type { HostIndex } from '../values/host-index.ts'
import type { Fact } from './evidence.ts'
import type { Reason } from './reason.ts'

/**
 * The hosts that have the requested resource, free or in use. No host without the resource could take the request, even if the host were
 * empty.
 */
export interface Havers {
  /** Describes these hosts, as text that follows "hosts": `with GPUs`. */
  readonly which: string
  has(host: HostIndex): boolean
  /** The reason for which a host without the resource is refused. The reason depends only on this host and this resource. */
  lacks(host: HostIndex): Reason
  /** The demands for the single resources, if the request needs several. */
  readonly each?: readonly Single[]
}

/** A filter that is prepared for one request: its work that does not depend on a host is done. */
export interface PreparedFilter {
  passes(host: HostIndex): boolean
  reason(host: HostIndex): Reason
  facts?(host: HostIndex): readonly Fact[]
  /**
   * The hosts that have the requested resource. If a request is refused, the stated cause of the refusal is only about these hosts. Absent
   * if every host can have the resource.
   */
  havers?(): Havers | undefined
  /**
   * If the filter determines which hosts a request admits: its single demands, in a fixed order. If a request is refused, the stated cause
   * names the demand that excludes the hosts. Absent if there is only one demand.
   */
  each?(): readonly Single[]
  /**
   * Present if a host can meet each single demand of `each` and still be refused, for example because one hypervisor type of the host must
   * meet several demands.
   */
  readonly areJoint?: true
  /**
   * The only hosts that the filter can refuse in the present state of the fleet, for example the hosts with members of a server group.
   * Undefined if it can refuse every host. Not used for filters of plug-ins.
   */
  exceptions?(): Iterable<HostIndex> | undefined
  /**
   * Describes the hosts that meet all demands, as text that follows "hosts". Present only if the options of the filter change the meaning
   * of the request. The usual text would then be wrong.
   */
  readonly which?: string
}

/**
 * The same filter as an object whose members can be copied into another object. A plug-in can return an instance of a class, and a copy of
 * an instance has none of its methods.
 */
export function withCopiedMethods(prepared: PreparedFilter): PreparedFilter {
  const { areJoint, which } = prepared
  return {
    passes: (host) => prepared.passes(host),
    reason: (host) => prepared.reason(host),
    ...(prepared.facts !== undefined && { facts: (host: HostIndex) => prepared.facts?.(host) ?? [] }),
    ...(prepared.havers !== undefined && { havers: () => prepared.havers?.() }),
    ...(prepared.each !== undefined && { each: () => prepared.each?.() ?? [] }),
    ...(areJoint !== undefined && { areJoint }),
    ...(which !== undefined && { which }),
  }
}

/** One of several demands of a filter: a trait, an image property, a list of aggregates. */
export interface Single {
  /** Describes the hosts that meet the demand, as text that follows "hosts": `with trait CUSTOM_A`. */
  readonly which: string
  /**
   * Present if the demand names hosts. The stated cause of a refusal is then about these hosts, even if another demand excludes all of
   * them.
   */
  readonly isNames?: true
  /** Present if the demand names hosts that it excludes. */
  readonly isExclusion?: true
  /** The reason for which a host that does not meet the demand is refused. If absent, the reason of the filter is used. */
  reasonAt?(host: HostIndex): Reason
  passes(host: HostIndex): boolean
}
