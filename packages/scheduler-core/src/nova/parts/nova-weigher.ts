import { z } from 'zod'
import type { StatsField } from '../../report/stats-fields.ts'
import { checkOptions } from '../../request/parse.ts'
import type { RequestReadsBy } from '../../request/request-reads.ts'
import type { HostState } from '../objects/host-state.ts'
import type { NovaRequest } from '../objects/request.ts'

/**
 * One of Nova's weighers. It computes a raw score for each host, where a higher score is better, and has the name of the option for its
 * multiplier.
 */
export interface NovaWeigher {
  readonly name: string
  readonly description: string
  readonly unit: string
  /** The report fields that it reads, for hosts that were not reported in Nova's form. */
  readonly reads: readonly StatsField[]
  /** See Filter. */
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>> | undefined
  readonly multiplier: MultiplierOption
  /** Lower raw scores are raised to this value. Scores are then normalised from this value instead of from the lowest raw score. */
  readonly minval: number | undefined
  /** By Nova's option names; those of other groups than filter_scheduler carry the group: `metrics.required`. */
  readonly options: z.ZodObject
  /**
   * Throws NovaError where Nova raises, RangeError for bad options. `multiplierOf` returns the multiplier of each host in the sum,
   * `configured` is the value of the multiplier's option.
   */
  prepare(
    request: NovaRequest,
    options: Readonly<Record<string, unknown>>,
    multiplierOf: (host: HostState) => number,
    configured: number,
  ): (host: HostState) => number
}

/** The source of a weigher's multiplier: the option, or the lowest value of `key` in the metadata of the host's aggregates. */
export interface MultiplierOption {
  /** The name of the option with its group, unless the group is filter_scheduler. */
  readonly option: string
  readonly key: string
  readonly byDefault: number
  /** Whether the weigher's share is subtracted from the total. */
  readonly isNegated: boolean
  /** Whether the option refuses negative numbers. Aggregates can set negative numbers nevertheless, as in Nova. */
  readonly isPositive: boolean
}

interface Definition<Options extends z.ZodObject> {
  readonly name: string
  readonly description: string
  readonly unit: string
  readonly reads: readonly StatsField[]
  readonly readsRequest?: RequestReadsBy<Readonly<Record<string, unknown>>>
  /** The name that the option and the aggregates' key share. */
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

/** Creates a weigher from its definition: the multiplier's default is 1, and options are checked. */
export function novaWeigher<Options extends z.ZodObject = typeof noOptions>(definition: Definition<Options>): NovaWeigher {
  const { name, description, unit, reads, readsRequest, multiplier, minval } = definition
  const options = (definition.options ?? noOptions) as Options
  return {
    name,
    description,
    unit,
    reads,
    readsRequest,
    multiplier: { option: multiplier.key, byDefault: 1, isNegated: false, isPositive: false, ...multiplier },
    minval,
    options,
    prepare: (request, given, ...multipliers) => definition.prepare(request, checkOptions(options, given), ...multipliers),
  }
}
