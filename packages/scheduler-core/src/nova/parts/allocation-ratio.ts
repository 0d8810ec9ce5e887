import { type RatioClass, ratioKeys } from '../../report/nova-ratios.ts'
import { NOVA_OVERCOMMIT } from '../../values/levels.ts'
import { leastFloat } from '../../weighers/aggregate-metadata.ts'
import type { AllocationRatio, HostState } from '../objects/host-state.ts'
import type { CheckContext } from './nova-filter.ts'

export type RatioOf = (host: HostState) => AllocationRatio

/** The inputs of the filters that compare with the ratio of one class. */
interface RatioRule {
  readonly resourceClass: RatioClass
  own(host: HostState): number
  /** The ratio if the host's own ratio is 0. */
  readonly byDefault: number
  /** Nova's default of an option that is not given. */
  readonly optionByDefault: number
}

const nameOf = ({ resourceClass }: RatioRule): string => ratioKeys[resourceClass]

/**
 * Reads the ratio of a host. The ratio that is set for the capacity of claims has precedence. Without it, the option's ratio applies to all
 * hosts. If the option is 0, the host's own ratio applies, and if that is 0, Nova's default.
 */
export const hostRatio =
  (rule: RatioRule) =>
  (option: number | undefined): RatioOf =>
  (host) =>
    host.ratiosSet?.[rule.resourceClass] ?? optionOrOwn(rule, option, host)

/**
 * Reads the ratio of a host with aggregates. The ratio that is set for the capacity of claims has precedence. Without it, the lowest ratio
 * in the metadata of the host's aggregates applies, under the option's name. Without metadata, the ratio of the option or the host applies.
 */
export const aggregateRatio =
  (rule: RatioRule) =>
  (option: number | undefined): RatioOf =>
  (host) => {
    const set = host.ratiosSet?.[rule.resourceClass]
    if (set !== undefined) return set
    const own = optionOrOwn(rule, option, host)
    if (host.ratiosSet !== undefined) return own
    const { value, source = own.source } = leastFloat(host, nameOf(rule), own.value)
    return { value, source }
  }

function optionOrOwn(rule: RatioRule, given: number | undefined, host: HostState): AllocationRatio {
  // If claims are judged by the ratios of hosts, only an explicitly set option overrides these ratios.
  const option = given ?? (host.ratiosSet === undefined ? rule.optionByDefault : 0)
  if (option > 0) return { value: option, source: `option ${nameOf(rule)}` }
  return { value: rule.own(host) || rule.byDefault, source: `${nameOf(rule)} of the host` }
}

/**
 * Whether one instance needs more than the host's total, which no ratio allows. This is Nova's rule since Liberty, and for disk since
 * Newton.
 */
export const isAgainstItself = (need: number, total: number, { featureLevel = NOVA_OVERCOMMIT }: CheckContext): boolean =>
  featureLevel >= NOVA_OVERCOMMIT && need > total
