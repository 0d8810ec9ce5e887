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
  /** Which hosts a request admits at all. */
  readonly candidates: CandidatesFilter
  readonly filters: readonly CompiledFilter[]
  /** Filters in shadow mode: only run in explanations (pipeline/filtering/shadow-filters.ts). */
  readonly shadows: readonly CompiledFilter[]
  readonly weighers: readonly CompiledWeigher[]
  /** The number of remaining hosts below which no weigher runs. */
  readonly weighsFrom: number
  readonly assign: Readonly<Record<KindName, Assign<unknown, unknown>>>
  /** The scheduler of a plug-in that the profile names; undefined: it names one of the release, or the plug-in is not loaded. */
  readonly scheduler: PluginScheduler | undefined
  /** The plug-ins whose parts it names, in the order of their names. */
  readonly plugins: readonly PluginRef[]
  /** The filters and weighers outside of this process that have to be asked before deciding; mostly none. */
  readonly asks: readonly OutsideAsk[]
  /** What this service lacks to decide by it, as sentences: substitutes refuse every host in its place. */
  readonly lacks: readonly string[]
}

/** A filter or weigher of a profile that runs outside of this process. */
export interface OutsideAsk {
  readonly part: Pick<Filter, 'name' | 'description' | 'reads'> & { readonly unit?: string }
  readonly kind: OutsideAnswer['kind']
  readonly by: string
  /** The options in parsed form. */
  readonly options: FilterOptions
  /** The options as the profile has them, as canonical JSON; undefined if it has none. */
  readonly optionsKey: string | undefined
  /** The multiplier of a weigher; 1 for a filter. */
  readonly multiplier: number
}
export interface CompiledFilter {
  readonly filter: Filter
  readonly options: FilterOptions
  /**
   * True for the filters of resource kinds, which check every claim: they are not listed by the profile, and are called for the hosts that
   * its own filters let through.
   */
  readonly isNet: boolean
  /**
   * True for a filter that repeats answers from outside of this process, which are about the hosts that all filters within it let through.
   */
  readonly isOutside: boolean
  /** The filter runs on forced hosts if the request's `forceVerify` is at least this. */
  readonly verifiedAt: RequestSpec['forceVerify']
  /**
   * The feature level that introduced it: at older levels the step does not exist, since matrices and their receipts have one bit per step.
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

/** The result of a plug-in's scheduler: the parts of a `Selection`, in the order of the instances, each held in the overlay. */
export type Choice = Pick<Selection, 'parts'>

/**
 * A scheduler of a plug-in (contracts/plugin.ts). It follows the laws of `scheduler.ts`, and places as many instances
 * as possible: the caller handles all-or-nothing. Only the hosts of its result are used: each is checked by the filters
 * and claimed again, in order, like those of a solver, so that grants, limits, alternates and records are the release's
 * own. Request and options are frozen copies, and the overlay can be used until `select` returns. An instance takes
 * what the overlay holds for it, identified by the claim of the part, whatever grants the part has.
 */
export interface PluginScheduler {
  /** The name in profiles: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for people: which hosts the part chooses. */
  readonly description: string
  /** Created once for each version of a profile. */
  create(compiled: CompiledProfile): {
    select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Choice
  }
  /** Counts a failure and returns the error that describes it; set by the code that isolates the scheduler. */
  readonly fail?: (what: string) => Error
}
