import { byCodeUnit } from '../values/canonical-json.ts'

/** At most this many similar names are returned. */
const MAX_NAMES = 3
/** Two words are similar if at most this many letters differ. */
const MAX_EDIT_DISTANCE = 3

/** A list of names that is prepared for the search of similar names. */
export interface Spellings {
  readonly size: number
  has(name: string): boolean
  /**
   * The names that differ from a word in at most three letters, nearest first. Empty if the word is one of the names. Case is ignored, and
   * `-`, `_` and space are equal. At most a third of the letters of the word can differ. For this third, the letters of a common
   * prefix that ends with `_` are not counted, because many names share a prefix such as CUSTOM_ or HW_CPU_X86_.
   */
  near(word: string): readonly string[]
}

/** Prepares a list of names for the search. Normalised forms of the names are computed only when the first unknown word is searched. */
export function createSpellings(names: Iterable<string>): Spellings {
  const known = new Set(names)
  let forms: readonly { readonly name: string; readonly plain: string; readonly lower: string }[] | undefined
  return {
    size: known.size,
    has: (name) => known.has(name),
    near(word) {
      if (word === '' || known.has(word)) return []
      forms ??= [...known].map((name) => ({ name, plain: plainly(name), lower: name.toLowerCase() }))
      const [plain, lower] = [plainly(word), word.toLowerCase()]
      const near: { readonly name: string; readonly wrong: number }[] = []
      for (const other of forms) {
        if (Math.abs(other.plain.length - plain.length) > MAX_EDIT_DISTANCE) continue
        const most = Math.min(MAX_EDIT_DISTANCE, Math.floor((plain.length - prefixOf(lower, other.lower)) / 3))
        const wrong = editDistance(plain, other.plain, most)
        if (wrong <= most) near.push({ name: other.name, wrong })
      }
      return near
        .sort((a, b) => a.wrong - b.wrong || byCodeUnit(a.name, b.name))
        .slice(0, MAX_NAMES)
        .map(({ name }) => name)
    },
  }
}

/** Returns the names that are similar to a misspelt word (`Spellings.near`). */
export const nearSpellings = (word: string, names: Iterable<string>): readonly string[] => createSpellings(names).near(word)

/** The length of the longest common prefix of word and name that ends with `_`. */
function prefixOf(word: string, name: string): number {
  let length = 0
  for (let i = 0; i < word.length && word[i] === name[i]; i++) if (word[i] === '_') length = i + 1
  return length
}

const plainly = (word: string): string => word.toLowerCase().replace(/[_\s]/g, '-')

/** Larger than any possible distance of two words. */
const FAR = 1_000_000

/**
 * The edit distance of two words: how many letters are wrong, missing, superfluous, or exchanged with their neighbour. Infinity if the
 * distance is more than `most`.
 */
export function editDistance(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  const [a, b] = withoutCommonEnds(one, other)
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY
  const width = b.length + 1
  let [before, last, row] = rowsOf(width)
  for (let j = 0; j < width; j++) last[j] = j
  let minOfLast = 0
  for (let i = 1; i <= a.length; i++) {
    // Only the cells within `most` of the diagonal are computed: all other cells have a distance above `most`.
    const first = Math.max(1, i - most)
    const end = Math.min(b.length, i + most)
    row[first - 1] = first === 1 ? i : FAR
    if (end < b.length) row[end + 1] = FAR
    let minOfRow = row[first - 1] as number
    const letter = a.charCodeAt(i - 1)
    const letterBefore = i > 1 ? a.charCodeAt(i - 2) : -1
    for (let j = first; j <= end; j++) {
      const otherLetter = b.charCodeAt(j - 1)
      let least = (last[j - 1] as number) + (letter === otherLetter ? 0 : 1)
      least = Math.min(least, (last[j] as number) + 1, (row[j - 1] as number) + 1)
      if (j > 1 && letterBefore === otherLetter && letter === b.charCodeAt(j - 2)) least = Math.min(least, (before[j - 2] as number) + 1)
      row[j] = least
      if (least < minOfRow) minOfRow = least
    }
    // Two rows are checked, because an exchange of letters reads the row before the last row.
    if (minOfRow > most && minOfLast > most) return Number.POSITIVE_INFINITY
    minOfLast = minOfRow
    const free = before
    before = last
    last = row
    row = free
  }
  const distance = last[b.length] as number
  return distance > most ? Number.POSITIVE_INFINITY : distance
}

let rows: readonly [Int32Array, Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0), new Int32Array(0)]

/** Returns three rows of `width` cells with the value FAR. The arrays are reused, because thousands of words are compared in sequence. */
function rowsOf(width: number): readonly [Int32Array, Int32Array, Int32Array] {
  if (rows[0].length < width) rows = [new Int32Array(2 * width), new Int32Array(2 * width), new Int32Array(2 * width)]
  for (const one of rows) one.fill(FAR, 0, width)
  return rows
}

/** Removes the common prefix and suffix of two words, which do not change their distance. */
function withoutCommonEnds(a: string, b: string): readonly [string, string] {
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a.charCodeAt(head) === b.charCodeAt(head)) head++
  let tail = 0
  while (tail < shorter - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  return [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
}
