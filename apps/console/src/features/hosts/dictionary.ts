/** Assigns codes to texts, for columns with few different texts. Texts are never removed, so a code always means the same text. */
export interface Dictionary {
  readonly values: readonly string[]
  /** The code of a text. A new text gets the next code. */
  codeOf(value: string): number
}

export function createDictionary(): Dictionary {
  const values: string[] = []
  const codes = new Map<string, number>()
  return {
    values,
    codeOf(value) {
      const known = codes.get(value)
      if (known !== undefined) return known
      codes.set(value, values.length)
      return values.push(value) - 1
    },
  }
}

/** Assigns codes to lists of texts. For example, all hosts with the same traits share one list. */
export interface SetDictionary {
  readonly values: Dictionary
  /** For each list, the codes of its texts. */
  readonly sets: readonly (readonly number[])[]
  /** For each list, its texts. */
  readonly texts: readonly (readonly string[])[]
  codeOf(values: readonly string[]): number
}

export function createSetDictionary(): SetDictionary {
  const values = createDictionary()
  const sets: (readonly number[])[] = []
  const texts: (readonly string[])[] = []
  const codes = new Map<string, number>()
  return {
    values,
    sets,
    texts,
    codeOf(list) {
      const numbers = list.map(values.codeOf)
      const key = numbers.join()
      const known = codes.get(key)
      if (known !== undefined) return known
      codes.set(key, sets.length)
      texts.push(list)
      return sets.push(numbers) - 1
    },
  }
}
