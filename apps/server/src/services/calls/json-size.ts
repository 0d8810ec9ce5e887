/** The size of a JSON value. */
export interface JsonSize {
  /** The length of its JSON in characters. */
  readonly characters: number
  /** How many values its lists and objects have, including nested values and values in texts that are JSON. */
  readonly values: number
}

/** The most text and values that the variables of one call may have. A body of 4 MiB cannot have more text. */
export const callSize: JsonSize = { characters: 4 * 1024 * 1024, values: 250_000 }

/**
 * The most text and values of one request or profile, in any form. The largest realistic ones are far smaller. A limit is needed because
 * all values are visited several times without yielding.
 */
export const documentSize: JsonSize = { characters: 512 * 1024, values: 20_000 }

/**
 * The size of a value without writing its JSON. Stops as soon as a limit is exceeded, and then returns what was counted until then. A value
 * that is contained several times is counted each time, so the limits also bound the work on a short list with one long value in it.
 */
export function measureJson(root: unknown, most: JsonSize): JsonSize {
  let characters = 0
  let values = 0
  const waiting: unknown[] = [root]
  const isWithin = (): boolean => characters <= most.characters && values <= most.values
  /** Adds the brackets and commas of a list or an object. */
  const open = (count: number): void => {
    values += count
    characters += 2 + Math.max(0, count - 1)
  }
  while (waiting.length > 0 && isWithin()) {
    const value = waiting.pop()
    if (typeof value === 'string') {
      characters += lengthOf(value, most.characters - characters)
      if (isWithin()) values += valuesInText(value)
    } else if (value === null || typeof value !== 'object') characters += (JSON.stringify(value) ?? 'null').length
    else if (Array.isArray(value)) {
      open(value.length)
      if (isWithin()) for (const item of value) waiting.push(item)
    } else {
      // JSON omits members without a value
      const members = value as Readonly<Record<string, unknown>>
      const keys = Object.keys(value).filter((key) => members[key] !== undefined)
      open(keys.length)
      if (isWithin())
        for (const key of keys) {
          characters += lengthOf(key, most.characters - characters) + 1
          waiting.push(members[key])
        }
    }
  }
  return { characters, values }
}

/**
 * If a value is larger than `most`, the rest of a sentence that begins with "it must". A document is measured before it is read, because
 * reading it takes time in proportion to its size.
 */
export function sizeRule(value: unknown, most: JsonSize): string | undefined {
  const { characters, values } = measureJson(value ?? null, most)
  if (characters > most.characters) return `have at most ${most.characters} characters of JSON; it has more`
  if (values > most.values) return `have at most ${most.values} values, including those within lists and objects; it has more`
  return undefined
}

/** The length of a text as JSON. If the text alone is longer than `left`, the escapes of its control characters and quotes are not counted. */
const lengthOf = (text: string, left: number): number => (text.length + 2 > left ? text.length + 2 : JSON.stringify(text).length)

/**
 * The count of values in a text that is a JSON list or object, such as the `numa_topology` of a Nova document. 0 for other texts. The text
 * is not parsed, because its nesting depth is not limited. Each opening bracket and each comma outside of strings counts as one value, so
 * an empty list or object counts one too many.
 */
function valuesInText(text: string): number {
  if (!/^\s*[[{]/.test(text)) return 0
  let count = 0
  let isQuoted = false
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted) count += Number(character === ',' || character === '[' || character === '{')
    else if (character === '\\') i++
  }
  return count
}
