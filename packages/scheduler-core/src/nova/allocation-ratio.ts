import { NOVA_OVERCOMMIT } from '../fleet/levels.ts'
import { leastFloat } from './aggregate-metadata.ts'
import type { HostState } from './host-state.ts'
import type { CheckContext } from './nova-filter.ts'

/** How many times over a resource of a host may be given away, and who says so. */
export interface AllocationRatio {
  readonly value: number
  readonly source: string
}

export type RatioOf = (host: HostState) => AllocationRatio

/** The option's ratio for all hosts; where it is 0 each host's own, and where that is 0 Nova's default. */
export const hostRatio =
  (name: string, own: (host: HostState) => number, byDefault: number) =>
  (option: number): RatioOf =>
  (host) =>
    option > 0 ? { value: option, source: `option ${name}` } : { value: own(host) || byDefault, source: `${name} of the host` }

/** The least ratio that the host's aggregates give under the option's name, or else that one. */
export const aggregateRatio =
  (name: string, otherwise: RatioOf): RatioOf =>
  (host) => {
    const own = otherwise(host)
    const { value, source = own.source } = leastFloat(host, name, own.value)
    return { value, source }
  }

/** Whether one instance wants more than the host has in all, which no ratio gives it: Nova's rule since Liberty, of disk since Newton. */
export const isAgainstItself = (need: number, total: number, { featureLevel = NOVA_OVERCOMMIT }: CheckContext): boolean =>
  featureLevel >= NOVA_OVERCOMMIT && need > total
