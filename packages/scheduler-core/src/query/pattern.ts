/** Runs of stars that the values of one filter may have together: each asks for another search through every text. */
export const MAX_STARS = 16

/** How many wildcards a value has; a run of stars is one, and an escaped star is none. */
export const starsOf = (value: string): number => (value.replace(/\\./gs, '').match(/\*+/g) ?? []).length

/** What an escaped value stands for. */
export const unescaped = (value: string): string => value.replace(/\\(.)/gs, '$1')

/** Counts comparisons of characters, for tests that bound the work. */
export interface Work {
  steps: number
}

/**
 * Whether all of the text matches the pattern, in which `*` is any run of characters and `\` makes the next one stand for
 * itself. Two positions go through text and pattern; after a mismatch both go back to the last star alone, so the work is at
 * most the product of the two lengths, whatever the pattern.
 */
export function compilePattern(pattern: string): (text: string, work?: Work) => boolean {
  const symbols = symbolsOf(pattern)
  return (text, work) => {
    let at = 0
    let inText = 0
    /** Positions behind the last star, and in the text where its run ends so far. */
    let behindStar = -1
    let runEnd = 0
    while (inText < text.length) {
      if (work !== undefined) work.steps++
      const symbol = symbols[at]
      if (symbol === STAR) {
        behindStar = ++at
        runEnd = inText
        if (behindStar === symbols.length) return true
      } else if (symbol !== undefined && symbol === text[inText]) {
        at++
        inText++
      } else if (behindStar === -1) return false
      else {
        at = behindStar
        inText = ++runEnd
      }
    }
    while (symbols[at] === STAR) at++
    return at === symbols.length
  }
}

const STAR = Symbol('any run of characters')

/** Characters that stand for themselves, and one star for each run of stars. */
function symbolsOf(pattern: string): readonly (string | typeof STAR)[] {
  const symbols: (string | typeof STAR)[] = []
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i] as string
    if (character === '\\' && i + 1 < pattern.length) symbols.push(pattern[++i] as string)
    else if (character !== '*') symbols.push(character)
    else if (symbols.at(-1) !== STAR) symbols.push(STAR)
  }
  return symbols
}
