import { DISK_POOL_KEY, ZONE_KEY } from './aggregate-keys.ts'
import { aggregateRatioKeys } from './allocation.ts'

/** Metadata of aggregates that a filter or weigher looks at. */
export interface MetadataRead {
  /** A key; with a star at its end every key that begins so, of which `by` says the names. */
  readonly key: string
  /** Of keys with a star: what names them, as `extra specs of flavors`. */
  readonly by?: string
  /** Name of an option of the part that must be true, or it does not look. */
  readonly option?: string
}

/** What a filter or weigher looks at of aggregates' metadata; a function where the keys themselves depend on the options. */
export type MetadataReads = readonly MetadataRead[] | ((options: Readonly<Record<string, unknown>>) => readonly MetadataRead[])

/** The reads with these options. */
export const metadataReadsWith = (reads: MetadataReads = [], options: Readonly<Record<string, unknown>>): readonly MetadataRead[] =>
  (typeof reads === 'function' ? reads(options) : reads).filter(({ option }) => option === undefined || options[option] === true)

/** All that it may look at with some options; keys that options name are those of no options. */
export const metadataReadsOf = (reads: MetadataReads = []): readonly MetadataRead[] => (typeof reads === 'function' ? reads({}) : reads)

/** Whether it is the very key; a star stands for every key that begins so, and reads none by itself. */
export const isExact = ({ key }: MetadataRead): boolean => !key.endsWith('*')

/** Whether a key may be looked at by it. */
export const covers = ({ key }: MetadataRead, asked: string): boolean =>
  key.endsWith('*') ? asked.startsWith(key.slice(0, -1)) : key === asked

/** What the fleet itself reads of metadata, whatever the profile: the zones, the pools and the ratios of hosts. */
export const fleetKeys: readonly string[] = [ZONE_KEY, DISK_POOL_KEY, ...Object.values(aggregateRatioKeys)]

/** Longer ones are nobody's slip of the keyboard. */
const MAX_KEY = 64
/** At most so many letters are wrong, missing, too many or exchanged; of short keys one. */
const NEAR = 2
const SHORT = 6

/** Those keys that one may have been meant to be: the same but for case, dashes and blanks, or for a letter or two. Nearest first. */
export function similarKeys(asked: string, known: Iterable<string>): readonly string[] {
  const plain = plainOf(asked)
  if (asked.length > MAX_KEY) return []
  return [...new Set(known)]
    .filter((key) => key !== asked)
    .map((key) => ({ key, distance: lettersBetween(plain, plainOf(key)) }))
    .filter(({ distance }) => distance <= (plain.length < SHORT ? 1 : NEAR))
    .sort((a, b) => a.distance - b.distance || (a.key < b.key ? -1 : 1))
    .map(({ key }) => key)
}

const plainOf = (key: string): string =>
  key
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s.]/g, '_')

/** Letters to be changed, left out, put in, or exchanged with their neighbour, to make one word the other. */
function lettersBetween(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, j) => j)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] as number) + 1,
        (next[j - 1] as number) + 1,
        (row[j - 1] as number) + (isSame ? 0 : 1),
        ...(isExchanged ? [(before[j - 2] as number) + 1] : []),
      )
    }
    ;[before, row] = [row, next]
  }
  return row[other.length] as number
}
