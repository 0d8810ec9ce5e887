/** A difference between an answer and Nova's recorded answer: the path in the recorded answer, and both values. */
export interface Difference {
  readonly path: string
  readonly expected: unknown
  readonly actual: unknown
}

/** The first difference between two JSON values, with numbers compared to the last bit. Undefined if they are equal. */
export function differenceOf(expected: unknown, actual: unknown, path = ''): Difference | undefined {
  if (Object.is(expected, actual) || expected === actual) return undefined
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const shared = Math.min(expected.length, actual.length)
    for (let i = 0; i < shared; i++) {
      const found = differenceOf(expected[i], actual[i], join(path, String(i)))
      if (found !== undefined) return found
    }
    return expected.length === actual.length ? undefined : { path: join(path, 'length'), expected: expected.length, actual: actual.length }
  }
  if (isObject(expected) && isObject(actual)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      const found = differenceOf(expected[key], actual[key], join(path, key))
      if (found !== undefined) return found
    }
    return undefined
  }
  return { path, expected, actual }
}

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
