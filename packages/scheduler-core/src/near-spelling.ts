import { byCodeUnit } from './canonical-json.ts'

/** Names that somebody may have meant are told, and no more of them. */
const MOST_NAMES = 3
/** More letters wrong than this is another word. */
const MOST_WRONG = 3

/** The names of one kind, to find what a word may have been meant to be. */
export interface Spellings {
  readonly size: number
  has(name: string): boolean
  /**
   * Of the names, those that differ from a word in few letters, nearest first. None where the word itself is among them: then it was meant.
   * Upper and lower case, and - _ and space, are no difference worth counting; nor is it a likeness that both begin with the same words
   * before a _, as all names of a kind may (CUSTOM_, HW_CPU_X86_): the rest has to be alike.
   */
  near(word: string): readonly string[]
}

/** What is worked out of the names is worked out once, at the first word that is not among them. */
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
        if (Math.abs(other.plain.length - plain.length) > MOST_WRONG) continue
        const most = Math.min(MOST_WRONG, Math.floor((plain.length - prefixOf(lower, other.lower)) / 3))
        const wrong = editDistance(plain, other.plain, most)
        if (wrong <= most) near.push({ name: other.name, wrong })
      }
      return near
        .sort((a, b) => a.wrong - b.wrong || byCodeUnit(a.name, b.name))
        .slice(0, MOST_NAMES)
        .map(({ name }) => name)
    },
  }
}

/** What one word may have been meant to be. */
export const nearSpellings = (word: string, names: Iterable<string>): readonly string[] => createSpellings(names).near(word)

/** How long the words before a _ are with which both begin. */
function prefixOf(word: string, name: string): number {
  let length = 0
  for (let i = 0; i < word.length && word[i] === name[i]; i++) if (word[i] === '_') length = i + 1
  return length
}

const plainly = (word: string): string => word.toLowerCase().replace(/[_\s]/g, '-')

/** More than any distance of words that are compared. */
const FAR = 1_000_000

/**
 * Letters that are wrong, missing, too many, or in the place of their neighbour. More than `most` of them are Infinity, and not counted to the
 * end.
 */
export function editDistance(one: string, other: string, most = Number.POSITIVE_INFINITY): number {
  const [a, b] = withoutCommonEnds(one, other)
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY
  const width = b.length + 1
  let [before, last, row] = rowsOf(width)
  for (let j = 0; j < width; j++) last[j] = j
  let leastOfLast = 0
  for (let i = 1; i <= a.length; i++) {
    // farther than `most` letters from the diagonal nothing is within reach
    const first = Math.max(1, i - most)
    const end = Math.min(b.length, i + most)
    row[first - 1] = first === 1 ? i : FAR
    if (end < b.length) row[end + 1] = FAR
    let leastOfRow = row[first - 1] as number
    const letter = a.charCodeAt(i - 1)
    const letterBefore = i > 1 ? a.charCodeAt(i - 2) : -1
    for (let j = first; j <= end; j++) {
      const otherLetter = b.charCodeAt(j - 1)
      let least = (last[j - 1] as number) + (letter === otherLetter ? 0 : 1)
      least = Math.min(least, (last[j] as number) + 1, (row[j - 1] as number) + 1)
      if (j > 1 && letterBefore === otherLetter && letter === b.charCodeAt(j - 2)) least = Math.min(least, (before[j - 2] as number) + 1)
      row[j] = least
      if (least < leastOfRow) leastOfRow = least
    }
    // letters in each other's place begin two rows back
    if (leastOfRow > most && leastOfLast > most) return Number.POSITIVE_INFINITY
    leastOfLast = leastOfRow
    const free = before
    before = last
    last = row
    row = free
  }
  const distance = last[b.length] as number
  return distance > most ? Number.POSITIVE_INFINITY : distance
}

let rows: readonly [Int32Array, Int32Array, Int32Array] = [new Int32Array(0), new Int32Array(0), new Int32Array(0)]

/** Three rows of so many numbers, all FAR; the same ones each time, since thousands of words are compared in a row. */
function rowsOf(width: number): readonly [Int32Array, Int32Array, Int32Array] {
  if (rows[0].length < width) rows = [new Int32Array(2 * width), new Int32Array(2 * width), new Int32Array(2 * width)]
  for (const one of rows) one.fill(FAR, 0, width)
  return rows
}

/** Equal letters at both ends are no difference. */
function withoutCommonEnds(a: string, b: string): readonly [string, string] {
  const shorter = Math.min(a.length, b.length)
  let head = 0
  while (head < shorter && a.charCodeAt(head) === b.charCodeAt(head)) head++
  let tail = 0
  while (tail < shorter - head && a.charCodeAt(a.length - 1 - tail) === b.charCodeAt(b.length - 1 - tail)) tail++
  return [a.slice(head, a.length - tail), b.slice(head, b.length - tail)]
}
