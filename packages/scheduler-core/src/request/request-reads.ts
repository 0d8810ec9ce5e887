import { byCodeUnit } from '../values/canonical-json.ts'

/**
 * Declares which fields of a request, and which entries of its maps with free keys, a filter or weigher reads. Fields and entries that
 * nothing reads are listed in `ignoredFields` of the answer. If `extraSpecs`, for example, is absent, no extra spec is read.
 */
export interface RequestReads {
  readonly extraSpecs?: ReadsEntry
  readonly schedulerHints?: ReadsEntry
  readonly imageProperties?: ReadsEntry
  readonly fields?: readonly OptionalField[]
}

/** Returns true if an entry of a map is read. The result can depend on the names in `known`. */
type ReadsEntry = (key: string, value: unknown, known: KnownNames) => boolean

/** Which names the hosts of a fleet report. */
export interface ReportingHosts {
  /** True if a host reports a stat with this name in its ComputeNode. */
  reportsStat(name: string): boolean
}

/** An image property as Nova reads it: the name of Nova's field, and the value converted to the type of the field. */
export interface ReadProperty {
  readonly name: string
  readonly value: unknown
}

/** The names in the fleet and the image properties that determine whether an entry of a request is read. */
export interface KnownNames extends ReportingHosts {
  /** True if the metadata of an aggregate has this key. */
  hasMetadata(key: string): boolean
  /** The properties that Nova reads from an image property of the request. Empty if Nova ignores the image property. */
  propertiesOf(key: string): readonly ReadProperty[]
}

/**
 * Fields of a request that have an effect only with certain filters and weighers. All other fields always have an effect, such as requested
 * resources and the policy of a server group.
 */
export type OptionalField =
  | 'zone'
  | 'architecture'
  | 'softAffinity'
  | 'softAntiAffinity'
  | 'traits'
  | 'networks'
  | 'volumes'
  | 'ports'
  /** The hosts on which Nova already tried to create the instance (`retry`). */
  | 'tried'
  /** The hosts of a server group with a soft policy. The hosts of a group with another policy are always read. */
  | 'softAffinityHosts'
  | 'softAntiAffinityHosts'
  /** The members that a document of Nova lists, in a group with one of these policies. Nova looks for them on the hosts. */
  | 'antiAffinityMembers'
  | 'softAffinityMembers'
  | 'softAntiAffinityMembers'

/** The declared fields, or a function that computes them from the options of the filter or weigher. */
export type RequestReadsBy<Options> = RequestReads | ((options: Options) => RequestReads)

export const readsBy = <Options>(reads: RequestReadsBy<Options>, options: Options): RequestReads =>
  typeof reads === 'function' ? reads(options) : reads

/** The name of the list of required traits in Nova's ImageMeta objects. Images themselves have a property `trait:NAME` for each trait. */
export const TRAITS_IN_OBJECTS = 'traits_required'

/** Declares that only these keys are read. */
export function namedKeys(...names: readonly string[]): (key: string) => boolean {
  const known = new Set(names)
  return (key) => known.has(key)
}

/** Declares that all keys with this prefix are read. */
export const keysFrom =
  (prefix: string) =>
  (key: string): boolean =>
    key.startsWith(prefix)

/** Declares that all keys without a scope and all keys with this scope (`scope:key`) are read. */
export const bareOrOf =
  (scope: string) =>
  (key: string): boolean =>
    !key.includes(':') || key.startsWith(`${scope}:`)

/** Returns the extra specs without a scope and the extra specs with this scope, sorted by key. The scope is removed from the keys. */
export function bareAndOf(scope: string, extraSpecs: Readonly<Record<string, string>>): readonly (readonly [key: string, value: string])[] {
  const reads = bareOrOf(scope)
  return Object.entries(extraSpecs)
    .filter(([key]) => reads(key))
    .map(([key, value]) => [key.slice(key.indexOf(':') + 1), value] as const)
    .sort(([a], [b]) => byCodeUnit(a, b))
}
