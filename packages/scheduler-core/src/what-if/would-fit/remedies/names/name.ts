import type { Fleet } from '../../../../fleet/fleet.ts'
import type { RequestSpec } from '../../../../request/request-spec.ts'
import type { Spellings } from '../../../../text/near-spelling.ts'

/** A name in the request, such as a trait, with the names of the same kind in the fleet, and a function that replaces the name. */
export interface Name {
  /**
   * The kind of the name, such as a trait or a host. Names of one kind are compared with the same list of names in the fleet. For each
   * kind, at most `MAX_WORDS` names are looked up.
   */
  readonly kind: string
  readonly subject: string
  readonly word: string
  known(): Iterable<string>
  /**
   * How many unknown names of the same kind come before this name in the request. Absent if one refusal is about all names of the kind.
   * `respelt` then counts the unknown names itself.
   */
  misspeltBefore?(there: Spellings): number
  /**
   * Names of the same kind that the request already contains. They are not proposed as corrections, because two requirements of the request
   * would then become one.
   */
  readonly others?: readonly string[]
  rename(request: RequestSpec, to: string): RequestSpec
}

/** How many words before `word` in a list are unknown in the fleet. */
export const misspeltBefore = (words: readonly string[], word: string, there: Spellings): number =>
  words.slice(0, words.indexOf(word)).filter((one) => !there.has(one)).length

/** The map with one key renamed, in the same place. */
export const withKey = <Value>(given: Readonly<Record<string, Value>>, from: string, to: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key === from ? to : key, value]))

/** All values that aggregates have for a metadata key. A list of values is split at its commas. */
export const metadataValues = ({ aggregates }: Fleet, key: string): readonly string[] =>
  [...aggregates.byUuid.values()].flatMap(({ metadata }) =>
    Object.hasOwn(metadata, key) ? (metadata[key] ?? '').split(',').map((piece) => piece.trim()) : [],
  )
