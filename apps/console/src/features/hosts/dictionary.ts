/** Texts by number, for columns with few different texts. It only grows, so that a number keeps its meaning. */
export interface Dictionary {
  readonly values: readonly string[]
  /** The number of a text; a new text gets the next number. */
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

/** Lists of texts by number: hosts of one kind share one list of traits. */
export interface SetDictionary {
  readonly values: Dictionary
  /** The indexes of the texts in each set. */
  readonly sets: readonly (readonly number[])[]
  /** The texts of each set. */
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
