/**
 * Replaces API keys by stars in everything that the errors of a client show: the keys that it used, and texts that look like a key of the
 * service. Services and proxies can repeat a key that they got, and the source of the key can fail with a key in its error.
 */
export interface HiddenKeys {
  /** Adds a key that is sent, or that a source returned. */
  add(key: string): void
  inText(text: string): string
  /** Returns a copy of a JSON value in whose texts all keys are replaced. */
  inValue<Value>(value: Value): Value
  /**
   * Returns the error itself if it shows no key. Otherwise, returns an error with the same name, message, code and cause, but without keys.
   * What is thrown but is no Error, and shows a key, is replaced by stars.
   */
  inError(error: unknown): unknown
}

/** The keys that the service draws. */
const KEY_OF_SERVICE = /gantt_[A-Za-z0-9_-]{32,}/g

export function createHiddenKeys(): HiddenKeys {
  const keys = new Set<string>()
  const inText = (text: string): string => {
    let hidden = text
    // A longer key comes first, because a key can be a part of another one.
    for (const key of [...keys].toSorted((a, b) => b.length - a.length)) hidden = hidden.replaceAll(key, '***')
    return hidden.replaceAll(KEY_OF_SERVICE, '***')
  }
  const inValue = <Value>(value: Value): Value => {
    const hidden = (given: unknown): unknown => {
      if (typeof given === 'string') return inText(given)
      if (Array.isArray(given)) return given.map(hidden)
      if (typeof given !== 'object' || given === null) return given
      return Object.fromEntries(Object.entries(given).map(([name, inner]) => [inText(name), hidden(inner)]))
    }
    return hidden(value) as Value
  }
  const inError = (error: unknown): unknown => {
    if (typeof error === 'string') return inText(error)
    if (!textsOf(error).some((text) => inText(text) !== text)) return error
    if (!(error instanceof Error)) return '***'
    const copy = new Error(inText(error.message), error.cause === undefined ? {} : { cause: inError(error.cause) })
    copy.name = inText(error.name)
    if (error.stack !== undefined) copy.stack = inText(error.stack)
    return 'code' in error ? Object.assign(copy, { code: inValue(error.code) }) : copy
  }
  return {
    add(key) {
      if (key.trim() !== '') keys.add(key.trim())
    },
    inText,
    inValue,
    inError,
  }
}

/** All texts that an error and the objects in it contain. */
function textsOf(error: unknown): readonly string[] {
  const texts: string[] = []
  const seen = new Set<object>()
  const read = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value)
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    for (const name of Reflect.ownKeys(value)) read(Reflect.get(value, name))
    if (value instanceof Map || value instanceof Set) for (const inner of value) read(inner)
  }
  read(error)
  return texts
}
