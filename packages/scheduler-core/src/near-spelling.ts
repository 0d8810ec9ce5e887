import { byCodeUnit } from './canonical-json.ts'

/** Names that somebody may have meant are told, and no more of them. */
const MOST_NAMES = 3
/** More letters wrong than this is another word. */
const MOST_WRONG = 3

/**
 * Of the names that there are, those that differ from a word in few letters, nearest first. None where the word itself is among them: then it
 * was meant. Upper and lower case, and - _ and space, are no difference worth counting; nor is it a likeness that both begin with the same
 * words before a _, as all names of a kind may (CUSTOM_, HW_CPU_X86_): the rest has to be alike.
 */
export function nearSpellings(word: string, names: Iterable<string>): readonly string[] {
  const known = new Set(names)
  if (word === '' || known.has(word)) return []
  const plain = plainly(word)
  const near: { readonly name: string; readonly wrong: number }[] = []
  for (const name of known) {
    const other = plainly(name)
    const most = Math.min(MOST_WRONG, Math.floor((plain.length - prefixOf(word.toLowerCase(), name.toLowerCase())) / 3))
    // a distance is at least the difference of the lengths
    const wrong = Math.abs(other.length - plain.length) > most ? Number.POSITIVE_INFINITY : editDistance(plain, other)
    if (wrong <= most) near.push({ name, wrong })
  }
  return near
    .sort((a, b) => a.wrong - b.wrong || byCodeUnit(a.name, b.name))
    .slice(0, MOST_NAMES)
    .map(({ name }) => name)
}

/** How long the words before a _ are with which both begin. */
function prefixOf(word: string, name: string): number {
  let length = 0
  for (let i = 0; i < word.length && word[i] === name[i]; i++) if (word[i] === '_') length = i + 1
  return length
}

const plainly = (word: string): string => word.toLowerCase().replace(/[_\s]/g, '-')

/** Letters that are wrong, missing, too many, or in the place of their neighbour. */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, (before[j - 2] ?? 0) + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
