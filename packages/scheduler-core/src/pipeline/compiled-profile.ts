import type { Filter, FilterOptions } from '../filters/filter.ts'
import type { Fleet } from '../fleet/fleet.ts'
import type { Overlay } from '../fleet/overlay.ts'
import type { KindName } from '../kinds/grants.ts'
import type { Assign } from '../kinds/kind.ts'
import type { OutsideAnswer } from '../outside/answer.ts'
import type { PluginRef } from '../plugin/plugin-ref.ts'
import type { Profile } from '../profiles/profile.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { Selection, SelectOptions } from '../schedulers/scheduler.ts'
import type { Weigher, WeigherOptions } from '../weighers/weigher.ts'
import type { CandidatesFilter } from './candidates.ts'

/** A profile with its parts looked up and its rules made: what the pipeline runs. */
export interface CompiledProfile {
  readonly profile: Profile
  /** Which hosts a request lets in at all. */
  readonly candidates: CandidatesFilter
  readonly filters: readonly CompiledFilter[]
  /** Those in shadow mode: asked in explanations alone (pipeline/shadow-filters.ts). */
  readonly shadows: readonly CompiledFilter[]
  readonly weighers: readonly CompiledWeigher[]
  /** With fewer hosts left no weigher runs. */
  readonly weighsFrom: number
  readonly assign: Readonly<Record<KindName, Assign<unknown, unknown>>>
  /** That of a plug-in which the profile names; undefined: one of the release, or it is not here. */
  readonly scheduler: PluginScheduler | undefined
  /** The plug-ins whose parts it names, in the order of their names. */
  readonly plugins: readonly PluginRef[]
  /** What is asked outside of this process before deciding; mostly nothing. */
  readonly asks: readonly OutsideAsk[]
  /** What this service lacks to decide by it, as sentences: stand-ins refuse every host in its place. */
  readonly lacks: readonly string[]
}

/** A part of a profile that is asked outside of this process. */
export interface OutsideAsk {
  readonly part: Pick<Filter, 'name' | 'description' | 'reads'> & { readonly unit?: string }
  readonly kind: OutsideAnswer['kind']
  readonly by: string
  /** As the part takes them. */
  readonly options: FilterOptions
  /** As the profile has them, as canonical JSON; undefined: none. */
  readonly optionsKey: string | undefined
  /** A weigher's; 1 of a filter. */
  readonly multiplier: number
}
export interface CompiledFilter {
  readonly filter: Filter
  readonly options: FilterOptions
  /** Not of the profile: what a resource kind checks for every claim, asked of the hosts that the profile's own filters let through. */
  readonly isNet: boolean
  /** Says what was answered outside of this process: about the hosts that all filters in it let through, and no others. */
  readonly isOutside: boolean
  /** On forced hosts: the least of the request's `forceVerify` with which it is asked. */
  readonly verifiedAt: RequestSpec['forceVerify']
  /** The feature level that it came with: at older ones there is no such step, since matrices and their receipts have one bit a step. */
  readonly sinceLevel?: number
}
export interface CompiledWeigher {
  readonly weigher: Weigher
  readonly options: WeigherOptions
  readonly multiplier: number
  /** Tells this weigher with these options apart from others in a cache. */
  readonly cacheName: string
}

/** What a plug-in's scheduler answers: of a `Selection` the parts, in the order of the instances, each held in the overlay. */
export type Choice = Pick<Selection, 'parts'>

/**
 * A scheduler of a plug-in (plugin/plugin.ts). It keeps the law of `scheduler.ts`, and places as many instances as find a host, whatever
 * was asked: all or nothing is seen to here. Of what it answers, the hosts are taken. Each is checked by the filters and held once more, in
 * order, as those of a solver are, so that grants, limits, alternates and records are the release's own.
 *
 * Request and options are frozen copies, and the overlay is there until `select` returns. What it holds for an instance, which it knows by
 * the claim of the part, is what the instance takes on the host, whatever grants the part says.
 */
export interface PluginScheduler {
  /** As profiles name it: 1 to 63 lower-case letters, digits and dashes. */
  readonly name: string
  /** One sentence for people: which hosts it takes. */
  readonly description: string
  /** Made once for each version of a profile. */
  create(compiled: CompiledProfile): {
    select(request: RequestSpec, fleet: Fleet, overlay: Overlay, options: SelectOptions): Choice
  }
  /** Counts what it did wrong and answers the error that says so; set by whoever contains it. */
  readonly fail?: (what: string) => Error
}
