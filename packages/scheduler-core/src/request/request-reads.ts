import { byCodeUnit } from '../values/canonical-json.ts'

/**
 * The fields of a request and the entries of its open maps that a filter or weigher reads. All others are in `ignoredFields` of the answer.
 * Usually the key determines whether an entry is read, but for some keys the value does. An absent property means that none of its entries
 * is read.
 */
export interface RequestReads {
  readonly extraSpecs?: ReadsEntry
  readonly schedulerHints?: ReadsEntry
  readonly imageProperties?: ReadsEntry
  readonly fields?: readonly OptionalField[]
}

/** Whether an entry of an open map is read; `known` holds the names on which this may depend. */
type ReadsEntry = (key: string, value: unknown, known: KnownNames) => boolean

/** The names that the hosts of a fleet report. */
export interface ReportingHosts {
  /** Whether any host reports a stat of this name in Nova's form. */
  reportsStat(name: string): boolean
}

/** A property of an image as Nova reads it: its name, and its value in the type of its field. */
export interface ReadProperty {
  readonly name: string
  readonly value: unknown
}

/** Names that entries of a request are compared with. */
export interface KnownNames extends ReportingHosts {
  /** Whether the metadata of any aggregate has this key. */
  hasMetadata(key: string): boolean
  /** The properties that Nova reads from an image property of the request. Empty if Nova reads none. */
  propertiesOf(key: string): readonly ReadProperty[]
}

/**
 * Fields of a request that only some profiles read. All other fields are always read: requested resources, names of hosts, and the policy
 * of a server group.
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
  /** Hosts of a server group with a soft policy; the other policies are rules of every claim. */
  | 'softAffinityHosts'
  | 'softAntiAffinityHosts'

/** The reads may depend on the options of the filter or weigher. */
export type RequestReadsBy<Options> = RequestReads | ((options: Options) => RequestReads)

export const readsBy = <Options>(reads: RequestReadsBy<Options>, options: Options): RequestReads =>
  typeof reads === 'function' ? reads(options) : reads

/** The list of required traits in Nova's objects; an image itself has one property for each trait instead. */
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

/** Reads the keys without a scope, and those with this scope, as in `scope:key`. */
export const bareOrOf =
  (scope: string) =>
  (key: string): boolean =>
    !key.includes(':') || key.startsWith(`${scope}:`)

/**
 * The extra specs without a scope and those with this scope, which is removed, sorted by key: their order in the request has no meaning.
 */
export function bareAndOf(scope: string, extraSpecs: Readonly<Record<string, string>>): readonly (readonly [key: string, value: string])[] {
  const reads = bareOrOf(scope)
  return Object.entries(extraSpecs)
    .filter(([key]) => reads(key))
    .map(([key, value]) => [key.slice(key.indexOf(':') + 1), value] as const)
    .sort(([a], [b]) => byCodeUnit(a, b))
}
