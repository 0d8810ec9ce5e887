/** The values of one filter may contain at most this many stars, because each star can require one more search through every text. */
export const MAX_STARS = 16

/** Counts the wildcards in a value. A run of stars is counted as one, and escaped stars are not counted. */
export const starsOf = (value: string): number => (value.replace(/\\./gs, '').match(/\*+/g) ?? []).length

/** Removes the escapes from a value. */
export const unescaped = (value: string): string => value.replace(/\\(.)/gs, '$1')

/** Counts comparisons of characters. Tests use the count to check that the work is limited. */
export interface Work {
  steps: number
}

/**
 * Returns a function that tests whether a whole text matches the pattern. In a pattern `*` is any run of characters, and `\` makes the next
 * character literal. The literal parts between the stars are searched from left to right, and the first occurrence of each part is used.
 * The last part must be at the end of the text. The work is linear in the length of text and pattern together, for any content.
 */
export function compilePattern(pattern: string): (text: string, work?: Work) => boolean {
  const [first = '', ...others] = partsOf(pattern)
  const last = others.pop()
  if (last === undefined) return (text) => text === first
  const inner = others.filter((part) => part !== '').map(compileSearch)
  const least = first.length + last.length + others.reduce((sum, part) => sum + part.length, 0)
  return (text, work) => {
    if (text.length < least || !text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const search of inner) {
      at = search(text, at, end, work)
      if (at < 0) return false
    }
    return true
  }
}

/** Returns a function that tests whether a text contains `part`. The work is linear in the length of text and part together. */
export function compileContains(part: string): (text: string, work?: Work) => boolean {
  if (part === '') return () => true
  const search = compileSearch(part)
  return (text, work) => search(text, 0, text.length, work) >= 0
}

/** Splits a pattern at its stars into literal parts. */
function partsOf(pattern: string): readonly string[] {
  const parts: string[] = []
  let part = ''
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] as string
    if (character === '\\' && i + 1 < pattern.length) part += pattern[++i]
    else if (character !== '*') part += character
    else {
      parts.push(part)
      part = ''
    }
  }
  return [...parts, part]
}

/**
 * Returns a function that searches for a literal part between two positions of a text. The function returns the end of the first
 * occurrence, or -1. It uses the algorithm of Knuth, Morris and Pratt, because the built-in search is quadratic for repetitive texts.
 */
function compileSearch(part: string): (text: string, from: number, to: number, work?: Work) => number {
  const fallbacks = fallbacksOf(part)
  const { length } = part
  const codes = Uint16Array.from({ length }, (_, i) => part.charCodeAt(i))
  return (text, from, to, work) => {
    let fits = 0
    let steps = 0
    let at = from
    for (; at < to && fits < length; at++) {
      const code = text.charCodeAt(at)
      while (fits > 0 && codes[fits] !== code) {
        fits = fallbacks[fits - 1] as number
        steps++
      }
      if (codes[fits] === code) fits++
      steps++
    }
    if (work !== undefined) work.steps += steps
    return fits === length ? at : -1
  }
}

/** For each character of a literal part, the length of the longest proper prefix of the part that also ends at this character. */
function fallbacksOf(part: string): Uint16Array {
  const fallbacks = new Uint16Array(part.length)
  let fits = 0
  for (let i = 1; i < part.length; i++) {
    while (fits > 0 && part[fits] !== part[i]) fits = fallbacks[fits - 1] as number
    if (part[fits] === part[i]) fits++
    fallbacks[i] = fits
  }
  return fallbacks
}
