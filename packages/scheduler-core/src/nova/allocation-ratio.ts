import { NOVA_OVERCOMMIT } from '../fleet/levels.ts'
import { leastFloat } from './aggregate-metadata.ts'
import { type RatioClass, ratioKeys } from './allocation.ts'
import type { AllocationRatio, HostState } from './host-state.ts'
import type { CheckContext } from './nova-filter.ts'

export type RatioOf = (host: HostState) => AllocationRatio

/** What the filters by one class's ratio read. */
interface RatioRule {
  readonly resourceClass: RatioClass
  own(host: HostState): number
  /** Where the host's own is 0. */
  readonly byDefault: number
  /** What an option that is not given is among Nova's own hosts. */
  readonly optionByDefault: number
}

const nameOf = ({ resourceClass }: RatioRule): string => ratioKeys[resourceClass]

/** What is set for the capacity of claims; else the option's ratio for all hosts; where that is 0 each host's own, and where that is 0 Nova's default. */
export const hostRatio =
  (rule: RatioRule) =>
  (option: number | undefined): RatioOf =>
  (host) =>
    host.ratiosSet?.[rule.resourceClass] ?? besideSet(rule, option, host)

/** What is set for the capacity of claims; else the least ratio that the host's aggregates give under the option's name, or else that one. */
export const aggregateRatio =
  (rule: RatioRule) =>
  (option: number | undefined): RatioOf =>
  (host) => {
    const set = host.ratiosSet?.[rule.resourceClass]
    if (set !== undefined) return set
    const own = besideSet(rule, option, host)
    if (host.ratiosSet !== undefined) return own
    const { value, source = own.source } = leastFloat(host, nameOf(rule), own.value)
    return { value, source }
  }

function besideSet(rule: RatioRule, given: number | undefined, host: HostState): AllocationRatio {
  // where claims are judged by what hosts say, only an option that somebody gave says otherwise
  const option = given ?? (host.ratiosSet === undefined ? rule.optionByDefault : 0)
  if (option > 0) return { value: option, source: `option ${nameOf(rule)}` }
  return { value: rule.own(host) || rule.byDefault, source: `${nameOf(rule)} of the host` }
}

/** Whether one instance wants more than the host has in all, which no ratio gives it: Nova's rule since Liberty, of disk since Newton. */
export const isAgainstItself = (need: number, total: number, { featureLevel = NOVA_OVERCOMMIT }: CheckContext): boolean =>
  featureLevel >= NOVA_OVERCOMMIT && need > total
