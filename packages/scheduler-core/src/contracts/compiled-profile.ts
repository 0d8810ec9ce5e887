import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { Assign } from '../kinds/kind.ts'
import type { OutsideAnswer } from '../records/answer.ts'
import type { KindName } from '../records/grants.ts'
import type { PluginRef } from '../records/plugin-ref.ts'
import type { Profile } from '../records/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { CandidatesFilter, Filter, FilterOptions } from './filter.ts'
import type { Selection, SelectOptions } from './scheduler.ts'
import type { Weigher, WeigherOptions } from './weigher.ts'

/** A profile together with the filters, weighers and rules that it names, ready to run. */
export interface CompiledProfile {
  readonly profile: Profile
  /** The first filter of a decision. It passes the hosts that the request admits. */
  readonly candidates: CandidatesFilter
  readonly filters: readonly CompiledFilter[]
  /** Filters in shadow mode. They only run in explanations (pipeline/filtering/shadow-filters.ts). */
  readonly shadows: readonly CompiledFilter[]
  readonly weighers: readonly CompiledWeigher[]
  /** Weighers run only if at least this many hosts remain. */
  readonly weighsFrom: number
  readonly assign: Readonly<Record<KindName, Assign<unknown, unknown>>>
  /**
   * The scheduler of a plug-in that the profile names. Undefined if the profile names a scheduler of the release, or if the plug-in is not
   * loaded.
   */
  readonly scheduler: PluginScheduler | undefined
  /** The plug-ins whose filters, weighers or scheduler the profile names, sorted by name. */
  readonly plugins: readonly PluginRef[]
  /** The filters and weighers outside of this process that are called before a decision. Empty for most profiles. */
  readonly asks: readonly OutsideAsk[]
  /**
   * An error message for each filter, weigher and scheduler of the profile that this service does not have. A missing filter is replaced by
   * one that refuses every host.
   */
  readonly lacks: readonly string[]
}

/** A filter or weigher of a profile that runs outside of this process. */
export interface OutsideAsk {
  readonly part: Pick<Filter, 'name' | 'description' | 'reads'> & { readonly unit?: string }
  readonly kind: OutsideAnswer['kind']
  readonly by: string
  /** The options in parsed form. */
  readonly options: FilterOptions
  /** The options in the profile as canonical JSON. Undefined if there are none. */
  readonly optionsKey: string | undefined
  /** The multiplier of a weigher. 1 for a filter. */
  readonly multiplier: number
}
export interface CompiledFilter {
  readonly filter: Filter
  readonly options: FilterOptions
  /**
   * True for a filter that is added because the profile does not list it. Such filters check rules that every claim must satisfy
   * (`fitFilters`). They are called for hosts that pass the profile's own filters.
   */
  readonly isNet: boolean
  /**
   * True for a filter that reads the recorded answers of a filter or weigher outside of this process. The program outside was asked only
   * about hosts that pass all filters in this process.
   */
  readonly isOutside: boolean
  /** On forced hosts the filter runs if the request's `forceVerify` is at least this level. */
  readonly verifiedAt: RequestSpec['forceVerify']
  /**
   * The feature level that introduced the filter. At lower levels the filter has no step. Stored verdicts have one bit for each step, so a
   * further step would change the verdicts of earlier decisions.
   */
  readonly sinceLevel?: number
}
export interface CompiledWeigher {
  readonly weigher: Weigher
  readonly options: WeigherOptions
  readonly multiplier: number
  /** The name of the weigher with its options, as a cache key. */
  readonly cacheName: string
}

/** The result of a plug-in's scheduler: the parts of a `Selection`, in the order of the instances. The overlay must contain each part. */
export type Choice = Pick<Selection, 'parts'>

/**
 * A scheduler of a plug-in (contracts/plugin.ts). It follows the laws of `scheduler.ts`, and places as many instances as possible, because
 * the caller handles all-or-nothing. Only the hosts of its result are used. The release itself checks each host again with the filters, in
 * order, and computes grants, limits, alternates and records, like for the result of a solver. The request and the options are frozen
 * copies, and the overlay can be used until `select` returns. The grants in the returned parts are ignored.
 */
export interface PluginScheduler {
  /** The name in profiles: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for users: which hosts the scheduler chooses. */
  readonly description: string
  /** Created once for each version of a profile. */
  create(compiled: CompiledProfile): {
    select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Choice
  }
  /** Counts a failure and returns an error with this description. The code that isolates the scheduler sets this function. */
  readonly fail?: (what: string) => Error
}
