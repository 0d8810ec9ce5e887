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

/** A profile with its filters, weighers and rules looked up, ready to run. */
export interface CompiledProfile {
  readonly profile: Profile
  /** The first filter, which passes the hosts that a request admits. */
  readonly candidates: CandidatesFilter
  readonly filters: readonly CompiledFilter[]
  /** Filters in shadow mode. They only run in explanations (pipeline/filtering/shadow-filters.ts). */
  readonly shadows: readonly CompiledFilter[]
  readonly weighers: readonly CompiledWeigher[]
  /** Weighers run only if at least this many hosts remain. */
  readonly weighsFrom: number
  readonly assign: Readonly<Record<KindName, Assign<unknown, unknown>>>
  /** The plug-in's scheduler that the profile names. Undefined if it names one of the release, or if the plug-in is not loaded. */
  readonly scheduler: PluginScheduler | undefined
  /** The plug-ins with parts that the profile names, sorted by name. */
  readonly plugins: readonly PluginRef[]
  /** The filters and weighers outside of this process that are called before a decision. Empty for most profiles. */
  readonly asks: readonly OutsideAsk[]
  /**
   * The filters, weighers and scheduler of the profile that this service does not have, as sentences. Substitutes for them refuse every
   * host.
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
  /** The options of the profile as canonical JSON; undefined if it has none. */
  readonly optionsKey: string | undefined
  /** The multiplier of a weigher; 1 for a filter. */
  readonly multiplier: number
}
export interface CompiledFilter {
  readonly filter: Filter
  readonly options: FilterOptions
  /**
   * True for the filters of resource kinds, which check every claim. The profile does not list them. They are called for hosts that pass
   * the profile's own filters.
   */
  readonly isNet: boolean
  /** True for a filter that repeats answers from outside of this process. The answers are about hosts that pass all filters inside. */
  readonly isOutside: boolean
  /** On forced hosts the filter runs if the request's `forceVerify` is at least this level. */
  readonly verifiedAt: RequestSpec['forceVerify']
  /**
   * The feature level that introduced the filter. At lower levels the filter's step does not exist, because matrices and their receipts
   * have one bit for each step.
   */
  readonly sinceLevel?: number
}
export interface CompiledWeigher {
  readonly weigher: Weigher
  readonly options: WeigherOptions
  readonly multiplier: number
  /** Identifies this weigher with these options in a cache. */
  readonly cacheName: string
}

/** The result of a plug-in's scheduler: the parts of a `Selection`, in the order of the instances. Each part is held in the overlay. */
export type Choice = Pick<Selection, 'parts'>

/**
 * A scheduler of a plug-in (contracts/plugin.ts). It follows the laws of `scheduler.ts`, and places as many instances as possible, because
 * the caller handles all-or-nothing. Only the hosts of its result are used. Each host is checked by the filters and claimed again, in
 * order, like the result of a solver. So grants, limits, alternates and records are made by the release itself. Request and options are
 * frozen copies, and the overlay can be used until `select` returns. An instance gets the resources that the overlay holds for the claim of
 * its part. The grants in the part are ignored.
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
  /** Counts a failure and returns an error with this description. Set by the code that isolates the scheduler. */
  readonly fail?: (what: string) => Error
}
