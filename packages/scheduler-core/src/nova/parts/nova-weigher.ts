import { z } from 'zod'
import type { StatsField } from '../../report/stats-fields.ts'
import { checkOptions } from '../../request/parse.ts'
import type { RequestReadsBy } from '../../request/request-reads.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'

/** One of Nova's weighers. It computes a raw score for each host. A higher score is better, unless the multiplier is negative. */
export interface NovaWeigher {
  readonly name: string
  readonly description: string
  readonly unit: string
  /** The fields that the weigher reads from reports in this service's form. */
  readonly reads: readonly StatsField[]
  /** The parts of a request that the weigher reads. See `Weigher.readsRequest`. */
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>> | undefined
  /**
   * Present if the raw score of a host depends only on these fields of the request, the options, the feature level and the host's own
   * state. The service then caches the scores (`Weigher.cacheKey`).
   */
  readonly cachedBy?: readonly (keyof NovaRequest)[] | undefined
  readonly multiplier: MultiplierOption
  /** Lower raw scores are raised to this value. Scores are then normalised from this value instead of from the lowest raw score. */
  readonly minval: number | undefined
  /** The options, with Nova's names. A name starts with its group, as in `metrics.required`, unless the group is filter_scheduler. */
  readonly options: z.ZodObject
  /**
   * Prepares the weigher for a request. `multiplierOf` returns the multiplier that applies to a host, and `configured` is the value of the
   * multiplier option. Throws NovaError where Nova raises an exception, and RangeError for invalid options.
   */
  prepare(
    request: NovaRequest,
    options: Readonly<Record<string, unknown>>,
    multiplierOf: (host: HostState) => number,
    configured: number,
  ): (host: HostState) => number
}

/** The score 0 for every host. `prepare` returns this function for a request on which the weigher has no effect. */
export const noScore = (): number => 0

/** Where a weigher's multiplier comes from: an option, or the lowest value of `key` in the metadata of the host's aggregates. */
export interface MultiplierOption {
  /** The name of the option. It starts with its group, unless the group is filter_scheduler. */
  readonly option: string
  readonly key: string
  readonly byDefault: number
  /** True if the weigher's score is subtracted from the total. */
  readonly isNegated: boolean
  /** True if the option refuses negative numbers. Aggregates can set negative numbers nevertheless, as in Nova. */
  readonly isPositive: boolean
}

interface Definition<Options extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly unit: string
  readonly reads: readonly StatsField[]
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>>
  readonly cachedBy?: readonly (keyof NovaRequest)[]
  /** `key` is the name of both the option and the metadata key, unless `option` is set. */
  readonly multiplier: Partial<MultiplierOption> & { readonly key: string }
  readonly minval?: number
  readonly options?: Options
  prepare(
    request: NovaRequest,
    options: z.output<Options>,
    multiplierOf: (host: HostState) => number,
    configured: number,
  ): (host: HostState) => number
}

const noOptions = z.strictObject({})

/** Creates a weigher from its definition. Its options are checked, and the default of its multiplier is 1. */
export function novaWeigher<Options extends z.ZodObject = typeof noOptions>(definition: Definition<Options>): NovaWeigher {
  const { name, description, unit, reads, readsRequest, cachedBy, multiplier, minval } = definition
  const options = (definition.options ?? noOptions) as Options
  return {
    name,
    description,
    unit,
    reads,
    readsRequest,
    cachedBy,
    multiplier: { option: multiplier.key, byDefault: 1, isNegated: false, isPositive: false, ...multiplier },
    minval,
    options,
    prepare: (request, given, ...multipliers) => definition.prepare(request, checkOptions(options, given), ...multipliers),
  }
}
