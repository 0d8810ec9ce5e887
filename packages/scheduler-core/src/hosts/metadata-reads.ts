import { DISK_POOL_KEY, ZONE_KEY } from '../values/aggregate-keys.ts'
import { aggregateRatioKeys } from './allocation.ts'

/** A metadata key of aggregates, or a prefix of keys, that a filter or weigher reads. */
export interface MetadataRead {
  /** A metadata key. A key that ends with `*` stands for all keys with this prefix. */
  readonly key: string
  /** Only for a key that ends with `*`: what the part after the prefix stands for, such as `extra specs of flavors`. */
  readonly by?: string
  /** An option of the filter or weigher. The key is read only if this option is true. */
  readonly option?: string
}

/** All metadata keys of aggregates that a filter or weigher reads. A function if the keys depend on its options. */
export type MetadataReads = readonly MetadataRead[] | ((options: Readonly<Record<string, unknown>>) => readonly MetadataRead[])

/** The metadata keys that a filter or weigher reads with these options. */
export const metadataReadsWith = (reads: MetadataReads = [], options: Readonly<Record<string, unknown>>): readonly MetadataRead[] =>
  (typeof reads === 'function' ? reads(options) : reads).filter(({ option }) => option === undefined || options[option] === true)

/**
 * The metadata keys that a filter or weigher can read, whatever its options are. Keys whose names are the values of options are not
 * included.
 */
export const metadataReadsOf = (reads: MetadataReads = []): readonly MetadataRead[] => (typeof reads === 'function' ? reads({}) : reads)

/** True if a single key is read, and not all keys with a prefix. */
export const isExact = ({ key }: MetadataRead): boolean => !key.endsWith('*')

/** True if the key `asked` is read. */
export const covers = ({ key }: MetadataRead, asked: string): boolean =>
  key.endsWith('*') ? asked.startsWith(key.slice(0, -1)) : key === asked

/** The metadata keys of aggregates that are read under every profile: for zones, disk pools and allocation ratios of hosts. */
export const fleetKeys: readonly string[] = [ZONE_KEY, DISK_POOL_KEY, ...Object.values(aggregateRatioKeys)]

/** Keys with more characters than this are not searched for misspellings. */
const MAX_KEY = 64
/** A key is similar if at most this many letters are wrong, missing, added or swapped. In keys with fewer than SHORT letters, at most 1. */
const NEAR = 2
const SHORT = 6

/** Counts pairs of letters that were compared. Tests use it to limit the work. */
export interface Work {
  steps: number
}

/**
 * Returns a function that finds the known keys that the caller possibly meant by a key, nearest first. They differ from it by one or two
 * letters, or only by case, dashes, dots and blanks. For each known key, the work is at most proportional to the length of the key.
 */
export function findSimilarIn(known: Iterable<string>, work: Work = { steps: 0 }): (asked: string) => readonly string[] {
  const all = [...new Set(known)].map((key) => ({ key, plain: plainOf(key) }))
  return (asked) => {
    if (asked.length > MAX_KEY) return []
    const plain = plainOf(asked)
    const most = plain.length < SHORT ? 1 : NEAR
    return all
      .filter(({ key }) => key !== asked)
      .map((other) => ({ key: other.key, distance: lettersBetween(plain, other.plain, most, work) }))
      .filter(({ distance }) => distance <= most)
      .sort((a, b) => a.distance - b.distance || (a.key < b.key ? -1 : 1))
      .map(({ key }) => key)
  }
}

const plainOf = (key: string): string =>
  key
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s.]/g, '_')

/**
 * The edit distance between two words: the smallest number of letters to change, remove, insert or swap with their neighbour. If it is more
 * than `most`, the result is `most` + 1. Letters are compared only if their positions differ by at most `most`.
 */
function lettersBetween(one: string, other: string, most: number, work: Work): number {
  const beyond = most + 1
  if (Math.abs(one.length - other.length) > most) return beyond
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, j) => Math.min(j, beyond))
  for (let i = 1; i <= one.length; i++) {
    const [from, to] = [Math.max(1, i - most), Math.min(other.length, i + most)]
    const next: number[] = []
    next[from - 1] = from === 1 ? Math.min(i, beyond) : beyond
    for (let j = from; j <= to; j++) {
      work.steps++
      const isSame = one[i - 1] === other[j - 1]
      let least = Math.min(row[j] ?? beyond, next[j - 1] as number) + 1
      least = Math.min(least, (row[j - 1] ?? beyond) + (isSame ? 0 : 1), beyond)
      const isExchanged = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = isExchanged ? Math.min(least, (before[j - 2] ?? beyond) + 1) : least
    }
    ;[before, row] = [row, next]
  }
  return row[other.length] ?? beyond
}
