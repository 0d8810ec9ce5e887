import type { Fleet } from '../fleet/fleet.ts'
import type { Profile } from '../records/profile.ts'
import type { OptionalField, ReadProperty, RequestReads } from '../request/request-reads.ts'
import type { RequestParts, RequestSpec } from '../request/request-spec.ts'
import type { CompiledFilter, CompiledProfile } from './compiled-profile.ts'
import type { CandidatesFilter, Filter, FilterOptions } from './filter.ts'
import type { Plugin } from './plugin.ts'
import type { Scheduler } from './scheduler.ts'
import type { Weigher, WeigherOptions } from './weigher.ts'

/**
 * A plug-in that is part of the release, so every service has it. `bundled.ts` registers it. Unlike other plug-ins, its filters and
 * weighers have feature levels (records/part-levels.ts), and decision records do not name it. In addition to filters and weighers, it has
 * rules for whole profiles, and reads requests that were written for another service. The core knows the package only by this interface.
 */
export interface BuiltInPackage extends Pick<Plugin, 'name' | 'description' | 'filters' | 'weighers'> {
  /** The placement rules for profiles with `compat`. */
  readonly rules: PlacingRules
  /** Creates the scheduler for a profile with `compat`. */
  createScheduler(compiled: CompiledProfile): Scheduler
  readonly documents: RequestDocuments
  readonly capabilities: HostCapabilities
}

/**
 * The properties of hosts that extra specs with the scope `capabilities:` can name. A path has one step for each part of the name:
 * `cpu_info`, `topology` and `cores` for `cpu_info:topology:cores`.
 */
export interface HostCapabilities {
  /** The names that can follow these steps in a path on at least one host. Without steps: the first names of all paths. */
  namesAt(fleet: Fleet, steps: readonly string[]): ReadonlySet<string>
  /** The values that the hosts of the fleet have at this path, as text. */
  valuesAt(fleet: Fleet, path: readonly string[]): ReadonlySet<string>
}

/** The rules by which one group of profiles decides, either all profiles with `compat` or all others: filters, weighers and settings. */
export interface PlacingRules {
  readonly candidates: CandidatesFilter
  /** The filters and weighers that the profiles can name. */
  readonly filters: readonly Filter[]
  readonly weighers: readonly Weigher[]
  /** The default options of weighers. */
  readonly weigherOptions: WeigherOptions
  /** Weighers run only if at least this many hosts remain. */
  readonly weighsFrom: number
  /** The fields of a request that are always read, regardless of the filters in the profile. */
  readonly reads: RequestReads
  /** Returns `given` (a filter's own options in the profile) with further options from other settings of the profile. */
  filterOptions(profile: Profile, name: string, given: FilterOptions): FilterOptions
  /** The filters that run before the filters that the profile lists. */
  filtersBefore(profile: Profile): readonly CompiledFilter[]
}

/**
 * Reads requests that were imported from a document in another service's form. `RequestSpec.nova` has the document. Only `propertiesOf` is
 * also called for requests without a document.
 */
export interface RequestDocuments {
  /** The Nova cell in which the instances must be placed. Undefined if any Nova cell is allowed. */
  cellOf(request: RequestSpec): string | undefined
  /** The uuids of the instance's ports. Empty if the document is unreadable. */
  portsOf(request: RequestSpec): readonly string[]
  /** Returns true if the document has this field, which has no counterpart in Gantt's form. */
  has(request: RequestSpec, field: DocumentField): boolean
  /**
   * The keys that the document's service (such as Nova) reads before it calls its scheduler. Their effect is in other fields of the
   * request.
   */
  readBefore(request: RequestSpec): RequestReads
  /**
   * The paths in the caller's document for a path of Gantt's form. There are several paths if the import combined several properties into
   * one field.
   */
  pathsOf(request: RequestSpec, path: readonly string[]): readonly string[]
  /** The properties that the document's service (such as Nova) reads from the image property `key`. Empty if it does not know `key`. */
  propertiesOf(request: RequestSpec, key: string): readonly ReadProperty[]
  /**
   * Replaces fields of a request, and changes its document accordingly. All other conditions of the document stay. If the document has no
   * field for a change, the result either has no document and all conditions in its fields, or `agrees` is false for it.
   */
  restated(request: RequestSpec, parts: RequestParts): RequestSpec
  /** The request without the hosts that the document's service has already tried (`DocumentField` tried). */
  withoutTried(request: RequestSpec): RequestSpec
  /** The request without the Nova cell in which its instances must be placed. */
  withoutCell(request: RequestSpec): RequestSpec
  /**
   * Returns the request with an image that requires the trait `to` instead of `trait`. If `to` is null, the image no longer requires
   * `trait`.
   */
  withImageTrait(request: RequestSpec, trait: string, to: string | null): RequestSpec
  /**
   * Returns true if the document of a changed request contains all changes, which is tested by importing the document again. `before` is
   * the request before the changes. Fields that are not changed are not compared.
   */
  agrees(request: RequestSpec, before: RequestSpec): boolean
  /** The paths of document fields that this release does not know. */
  unknownFields(request: RequestSpec): readonly string[]
  /** The paths of document fields that no placement rule reads. */
  withoutEffect(request: RequestSpec): readonly string[]
}

export type DocumentField = Extract<OptionalField, 'networks' | 'tried'> | 'members'

let registered: BuiltInPackage | undefined

/**
 * Registers the built-in package. `bundled.ts` calls this function when the core is loaded. Throws Error if a different package is
 * registered already, because all services of a process share one package.
 */
export function registerBuiltIn(given: BuiltInPackage): void {
  if (registered !== undefined && registered !== given)
    throw new Error(`the built-in package ${registered.name} is registered already; register only one package, in bundled.ts`)
  registered = given
}

/** The built-in package. Throws Error if the core was loaded without one. */
export function builtIn(): BuiltInPackage {
  if (registered === undefined) throw new Error('no built-in package is registered; import bundled.ts, as the entry points of the core do')
  return registered
}
