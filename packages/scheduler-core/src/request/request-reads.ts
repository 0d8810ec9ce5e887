import { byCodeUnit } from '../values/canonical-json.ts'

/**
 * Which entries of the open maps of a request, and which fields, a filter or weigher reads; others are in `ignoredFields` of the answer.
 * Mostly the key decides; some values of a key may be read and others not. Absent: none.
 */
export interface RequestReads {
  readonly extraSpecs?: ReadsEntry
  readonly schedulerHints?: ReadsEntry
  readonly imageProperties?: ReadsEntry
  readonly fields?: readonly OptionalField[]
}

/** Whether an entry of an open map is read; `known`: where that depends on what else is known. */
type ReadsEntry = (key: string, value: unknown, known: KnownNames) => boolean

/** What the hosts of a fleet report under names of their own. */
export interface ReportingHosts {
  /** Whether any host reports a stat of this name in Nova's form. */
  reportsStat(name: string): boolean
}

/** Names that entries of a request are compared with. */
export interface KnownNames extends ReportingHosts {
  /** Whether the metadata of any aggregate has this key. */
  hasMetadata(key: string): boolean
  /** The name of Nova's under which an image property of the request is read; undefined: Nova knows no such property. */
  propertyName(key: string): string | undefined
}

/**
 * Demands of a request that only some profiles read. Everything else is read for every request: resources that hosts must have, names of
 * hosts, and the rule of a server group.
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
  /** Hosts on which Nova has tried the instance before. */
  | 'tried'
  /** Hosts of a server group with a soft policy: every claim keeps the other policies. */
  | 'softAffinityHosts'
  | 'softAntiAffinityHosts'

/** What a filter or weigher reads may depend on its options. */
export type RequestReadsBy<Options> = RequestReads | ((options: Options) => RequestReads)

export const readsBy = <Options>(reads: RequestReadsBy<Options>, options: Options): RequestReads =>
  typeof reads === 'function' ? reads(options) : reads

/** The list of required traits in Nova's objects; an image itself has one property for each trait, and no such list. */
export const TRAITS_IN_OBJECTS = 'traits_required'

/** Reads these keys and no others. */
export function namedKeys(...names: readonly string[]): (key: string) => boolean {
  const known = new Set(names)
  return (key) => known.has(key)
}

/** Reads the keys with this prefix. */
export const keysFrom =
  (prefix: string) =>
  (key: string): boolean =>
    key.startsWith(prefix)

/** Reads the keys without a scope, and those with this scope: `scope:key`. */
export const bareOrOf =
  (scope: string) =>
  (key: string): boolean =>
    !key.includes(':') || key.startsWith(`${scope}:`)

/** The extra specs without a scope and those of this one, without the scope, sorted by key: their order in the request has no meaning. */
export function bareAndOf(scope: string, extraSpecs: Readonly<Record<string, string>>): readonly (readonly [key: string, value: string])[] {
  const reads = bareOrOf(scope)
  return Object.entries(extraSpecs)
    .filter(([key]) => reads(key))
    .map(([key, value]) => [key.slice(key.indexOf(':') + 1), value] as const)
    .sort(([a], [b]) => byCodeUnit(a, b))
}
