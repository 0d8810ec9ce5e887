import { pauseOfQuery } from '../event-loop/query.ts'

/** This many characters are written between two yields. */
const CHUNK = 64 * 1024

/** A list or an object that is being written, and what is left of it to write. */
interface Open {
  readonly values: readonly unknown[]
  /** The keys of an object; undefined for a list. */
  readonly keys: readonly string[] | undefined
  next: number
}

/**
 * The JSON of a value, as JSON.stringify writes it. Yields after each chunk. Undefined if the text has more than `most` characters. Throws
 * CallerGoneError if the caller has disconnected. Tests set `onPause`.
 */
export async function jsonWithPauses(
  root: unknown,
  most: number,
  onPause: (length: number) => void = () => undefined,
): Promise<string | undefined> {
  let text = ''
  let chunk = ''
  const open: Open[] = []
  const write = (value: unknown): void => {
    const plain = hasToJson(value) ? value.toJSON() : value
    if (typeof plain !== 'object' || plain === null) chunk += JSON.stringify(plain) ?? 'null'
    else if (Array.isArray(plain)) open.push({ values: plain, keys: undefined, next: 0 })
    else {
      const entries = Object.entries(plain).filter(([, inner]) => inner !== undefined)
      open.push({ values: entries.map(([, inner]) => inner), keys: entries.map(([key]) => key), next: 0 })
    }
  }
  write(root)
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { values, keys, next } = last
    if (next === 0) chunk += keys ? '{' : '['
    if (next === values.length) {
      chunk += keys ? '}' : ']'
      open.pop()
    } else {
      if (next > 0) chunk += ','
      last.next++
      if (keys) chunk += `${JSON.stringify(keys[next])}:`
      write(values[next])
    }
    if (chunk.length < CHUNK) continue
    text += chunk
    onPause(chunk.length)
    chunk = ''
    if (text.length > most) return undefined
    await pauseOfQuery()
  }
  text += chunk
  return text.length > most ? undefined : text
}

const hasToJson = (value: unknown): value is { toJSON(): unknown } =>
  typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function'
