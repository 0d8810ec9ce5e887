import { type RatioClass, ratioKeys } from '../../report/nova-ratios.ts'
import { NOVA_OVERCOMMIT } from '../../values/levels.ts'
import { minFloat } from '../../weighers/aggregate-metadata.ts'
import type { AllocationRatio, HostState } from '../objects/host-state.ts'
import type { CheckContext } from './nova-filter.ts'

export type RatioOf = (host: HostState) => AllocationRatio

/** How a filter finds the allocation ratio of its resource class. */
interface RatioRule {
  readonly resourceClass: RatioClass
  own(host: HostState): number
  /** The ratio of a host that reports the ratio 0. */
  readonly byDefault: number
  /** Nova's default for the filter's option. */
  readonly optionByDefault: number
}

const nameOf = ({ resourceClass }: RatioRule): string => ratioKeys[resourceClass]

/**
 * Returns a function for the ratio of a host. A ratio that an operator, an aggregate or an import set has precedence. Next is the filter's
 * option, which applies to all hosts. If the option is 0, the ratio in the host's report applies. If that is 0 too, Nova's default applies.
 */
export const hostRatio =
  (rule: RatioRule) =>
  (option: number | undefined): RatioOf =>
  (host) =>
    host.ratiosSet?.[rule.resourceClass] ?? optionOrOwn(rule, option, host)

/**
 * Like `hostRatio`, for filters that read aggregates. If `ratiosSet` is absent, the lowest ratio in the metadata of the host's aggregates
 * has precedence over the filter's option. The metadata key is the option's name.
 */
export const aggregateRatio =
  (rule: RatioRule) =>
  (option: number | undefined): RatioOf =>
  (host) => {
    const set = host.ratiosSet?.[rule.resourceClass]
    if (set !== undefined) return set
    const own = optionOrOwn(rule, option, host)
    if (host.ratiosSet !== undefined) return own
    const { value, source = own.source } = minFloat(host, nameOf(rule), own.value)
    return { value, source }
  }

function optionOrOwn(rule: RatioRule, given: number | undefined, host: HostState): AllocationRatio {
  // If `ratiosSet` is present, the default of the option is ignored, so that only an explicit option overrides the host's ratio.
  const option = given ?? (host.ratiosSet === undefined ? rule.optionByDefault : 0)
  if (option > 0) return { value: option, source: `option ${nameOf(rule)}` }
  return { value: rule.own(host) || rule.byDefault, source: `${nameOf(rule)} of the host` }
}

/**
 * Returns true if one instance needs more than the host's total. Then the host is refused, whatever the ratio. Nova has this rule since
 * Liberty, and for disk since Newton.
 */
export const isAgainstItself = (need: number, total: number, { featureLevel = NOVA_OVERCOMMIT }: CheckContext): boolean =>
  featureLevel >= NOVA_OVERCOMMIT && need > total
