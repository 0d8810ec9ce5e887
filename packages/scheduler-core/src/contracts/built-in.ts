import type { Profile } from '../records/profile.ts'
import type { OptionalField, RequestReads } from '../request/request-reads.ts'
import type { RequestSpec } from '../request/request-spec.ts'
import type { CompiledFilter, CompiledProfile } from './compiled-profile.ts'
import type { CandidatesFilter, Filter, FilterOptions } from './filter.ts'
import type { Plugin } from './plugin.ts'
import type { Scheduler } from './scheduler.ts'
import type { Weigher, WeigherOptions } from './weigher.ts'

/**
 * The package that every service has: a plug-in that is part of the release. Its parts have feature levels (records/part-levels.ts), and
 * records do not name it. In addition to the parts of a plug-in it has rules of its own for whole profiles, and reads requests that were
 * written for another service. `bundled.ts` registers it; the core knows it by this contract only.
 */
export interface BuiltInPackage extends Pick<Plugin, 'name' | 'description' | 'filters' | 'weighers'> {
  /** The rules of profiles with `compat`. */
  readonly rules: PlacingRules
  /** Decides by such a profile, in the package's own way. */
  createScheduler(compiled: CompiledProfile): Scheduler
  readonly documents: RequestDocuments
}

/** The parts of profiles of one kind. */
export interface PlacingRules {
  readonly candidates: CandidatesFilter
  /** The filters and weighers that such a profile may name. */
  readonly filters: readonly Filter[]
  readonly weighers: readonly Weigher[]
  /** Options of every weigher, if the profile does not set them. */
  readonly weigherOptions: WeigherOptions
  /** The number of remaining hosts below which no weigher runs. */
  readonly weighsFrom: number
  /** The fields of a request that the rules read whatever filters the profile lists. */
  readonly reads: RequestReads
  /** The options of a listed filter, with those that come from other settings of the profile. */
  filterOptions(profile: Profile, name: string, given: FilterOptions): FilterOptions
  /** Filters that run before those that the profile lists. */
  filtersBefore(profile: Profile): readonly CompiledFilter[]
}

/** Reads the documents in another service's form that requests were made from (`RequestSpec.nova`). Only `propertyNames` is asked of others too. */
export interface RequestDocuments {
  /** The cell that the request has to stay in. */
  cellOf(request: RequestSpec): string | undefined
  /** The ports that the instance has, by uuid; none where they cannot be read. */
  portsOf(request: RequestSpec): readonly string[]
  /** Whether it has an optional field that the typed form does not have. */
  has(request: RequestSpec, field: DocumentField): boolean
  /** The parts of a request that were read when its document was made; other fields of the request contain the result. */
  readBefore(request: RequestSpec): RequestReads
  /** A path of the typed form as the caller wrote it: several where several properties were combined into one. */
  pathsOf(request: RequestSpec, path: readonly string[]): readonly string[]
  /** The names of the other service under which an image property is read; none: it knows no such property. */
  propertyNames(request: RequestSpec, key: string): readonly string[]
  /** Fields that this release does not know, as paths. */
  unknownFields(request: RequestSpec): readonly string[]
  /** Fields that no rule reads when placing, as paths. */
  withoutEffect(request: RequestSpec): readonly string[]
}

export type DocumentField = Extract<OptionalField, 'networks' | 'tried'>

let registered: BuiltInPackage | undefined

/** Called once, by `bundled.ts`, when the core is loaded. Throws Error for a second package: all services of a process share the first. */
export function registerBuiltIn(given: BuiltInPackage): void {
  if (registered !== undefined && registered !== given)
    throw new Error(`the built-in package ${registered.name} is registered already; register one, in bundled.ts`)
  registered = given
}

/** The built-in package. Throws Error where the core was loaded without it. */
export function builtIn(): BuiltInPackage {
  if (registered === undefined) throw new Error('no built-in package is registered; import bundled.ts, as the entry points of the core do')
  return registered
}
