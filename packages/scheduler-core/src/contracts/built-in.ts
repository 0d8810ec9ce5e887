import type { Profile } from '../records/profile.ts'
import type { OptionalField, ReadProperty, RequestReads } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { CompiledFilter, CompiledProfile } from './compiled-profile.ts'
import type { CandidatesFilter, Filter, FilterOptions } from './filter.ts'
import type { Plugin } from './plugin.ts'
import type { Scheduler } from './scheduler.ts'
import type { Weigher, WeigherOptions } from './weigher.ts'

/**
 * The package that every service has: a plug-in that is part of the release. Its filters and weighers have feature levels
 * (records/part-levels.ts), and records do not contain the package's name. In addition to the content of a plug-in, it has rules for whole
 * profiles, and reads requests that were written for another service. `bundled.ts` registers it. The core knows only this contract.
 */
export interface BuiltInPackage extends Pick<Plugin, 'name' | 'description' | 'filters' | 'weighers'> {
  /** The rules for profiles with `compat`. */
  readonly rules: PlacingRules
  /** Creates the scheduler for such a profile. */
  createScheduler(compiled: CompiledProfile): Scheduler
  readonly documents: RequestDocuments
}

/** The filters, weighers and settings for profiles of one kind. */
export interface PlacingRules {
  readonly candidates: CandidatesFilter
  /** The filters and weighers that such a profile may name. */
  readonly filters: readonly Filter[]
  readonly weighers: readonly Weigher[]
  /** The default options of weighers. */
  readonly weigherOptions: WeigherOptions
  /** Weighers run only if at least this many hosts remain. */
  readonly weighsFrom: number
  /** The fields of a request that the rules always read, whichever filters the profile lists. */
  readonly reads: RequestReads
  /** The options of a listed filter, completed by other settings of the profile. */
  filterOptions(profile: Profile, name: string, given: FilterOptions): FilterOptions
  /** Filters that run before those of the profile. */
  filtersBefore(profile: Profile): readonly CompiledFilter[]
}

/**
 * Reads the documents in another service's form from which requests were made (`RequestSpec.nova`). Only `propertiesOf` is also called for
 * other requests.
 */
export interface RequestDocuments {
  /** The cell in which the request must stay. */
  cellOf(request: RequestSpec): string | undefined
  /** The uuids of the instance's ports. Empty if the document is unreadable. */
  portsOf(request: RequestSpec): readonly string[]
  /** Whether the document has an optional field that the typed form does not have. */
  has(request: RequestSpec, field: DocumentField): boolean
  /** The parts of a request that were read when it was made from its document. Other fields of the request contain the result. */
  readBefore(request: RequestSpec): RequestReads
  /** The paths in the caller's document for a path of the typed form. There are several if several properties were combined into one. */
  pathsOf(request: RequestSpec, path: readonly string[]): readonly string[]
  /** The properties that the other service reads from an image property. Empty if it has no such property. */
  propertiesOf(request: RequestSpec, key: string): readonly ReadProperty[]
  /** Paths of fields that this release does not know. */
  unknownFields(request: RequestSpec): readonly string[]
  /** Paths of fields that no placement rule reads. */
  withoutEffect(request: RequestSpec): readonly string[]
}

export type DocumentField = Extract<OptionalField, 'networks' | 'tried'>

let registered: BuiltInPackage | undefined

/**
 * Called once by `bundled.ts`, when the core is loaded. Throws Error for a second package, because all services of a process share the
 * first one.
 */
export function registerBuiltIn(given: BuiltInPackage): void {
  if (registered !== undefined && registered !== given)
    throw new Error(`the built-in package ${registered.name} is registered already; register one, in bundled.ts`)
  registered = given
}

/** The built-in package. Throws Error if the core was loaded without one. */
export function builtIn(): BuiltInPackage {
  if (registered === undefined) throw new Error('no built-in package is registered; import bundled.ts, as the entry points of the core do')
  return registered
}
