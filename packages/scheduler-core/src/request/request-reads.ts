import { byCodeUnit } from '../canonical-json.ts'

/**
 * Which entries of the open maps of a request a part looks at, and which fields; others are in `ignoredFields` of the answer. Mostly the key
 * alone says; a part may look at some values of a key and not at others. Absent: none.
 */
export interface RequestReads {
  readonly extraSpecs?: (key: string, value: unknown) => boolean
  readonly schedulerHints?: (key: string, value: unknown) => boolean
  readonly imageProperties?: (key: string, value: unknown) => boolean
  readonly fields?: readonly OptionalField[]
}

/**
 * What a request asks for that only some profiles look at. All else is looked at for every request: what hosts must have room for, which of
 * them are named, and the rule of a server group.
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
  /** Hosts of a server group that is a wish: those of the other policies every claim keeps. */
  | 'softAffinityHosts'
  | 'softAntiAffinityHosts'

/** What a part looks at may depend on its options. */
export type RequestReadsBy<Options> = RequestReads | ((options: Options) => RequestReads)

export const readsBy = <Options>(reads: RequestReadsBy<Options>, options: Options): RequestReads =>
  typeof reads === 'function' ? reads(options) : reads

/** The list that Nova's objects have of the traits which an image requires; an image itself has one property for each, and no such list. */
export const TRAITS_IN_OBJECTS = 'traits_required'

/** These keys and no others. */
export function namedKeys(...names: readonly string[]): (key: string) => boolean {
  const known = new Set(names)
  return (key) => known.has(key)
}

/** Keys that begin so. */
export const keysFrom =
  (prefix: string) =>
  (key: string): boolean =>
    key.startsWith(prefix)

/** Keys without a scope, and those of this one: `scope:key`. */
export const bareOrOf =
  (scope: string) =>
  (key: string): boolean =>
    !key.includes(':') || key.startsWith(`${scope}:`)

/** Of extra specs those without a scope and those of this one, without it, by key: whoever writes them in another order means the same. */
export function bareAndOf(scope: string, extraSpecs: Readonly<Record<string, string>>): readonly (readonly [key: string, value: string])[] {
  const reads = bareOrOf(scope)
  return Object.entries(extraSpecs)
    .filter(([key]) => reads(key))
    .map(([key, value]) => [key.slice(key.indexOf(':') + 1), value] as const)
    .sort(([a], [b]) => byCodeUnit(a, b))
}

export const everyKey = (): boolean => true
