import { fieldsOf, isJson } from '../../report/versioned-object.ts'
import { canonicalJson } from '../../values/canonical-json.ts'

export type Path = readonly string[]

/** A value to write, with its path. `undefined` removes the key. */
export type Write = readonly [path: Path, value: unknown]

const DATA = 'nova_object.data'

/** The value at a path in a document. Paths do not contain the keys `nova_object.data`. */
export const valueAt = (document: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => (Array.isArray(value) ? value[Number(key)] : fieldsOf(value)[key]), document)

/** The document with one value replaced. Objects that are missing on the way are added. */
export function withValue(document: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (Array.isArray(document)) return document.map((item: unknown, i) => (String(i) === key ? withValue(item, rest, value) : item))
  const outer: Readonly<Record<string, unknown>> = isJson(document) ? document : {}
  if (isJson(outer[DATA])) return { ...outer, [DATA]: withValue(outer[DATA], [key, ...rest], value) }
  const { [key]: now, ...others } = outer
  const next = withValue(now, rest, value)
  return next === undefined ? others : { ...outer, [key]: next }
}

export const withValues = (document: unknown, writes: readonly Write[]): unknown =>
  writes.reduce((written, [path, value]) => withValue(written, path, value), document)

/** A versioned object of Nova. */
export const versioned = (name: string, version: string, data: Readonly<Record<string, unknown>>): unknown => ({
  'nova_object.name': name,
  'nova_object.namespace': 'nova',
  'nova_object.version': version,
  [DATA]: data,
})

export const listAt = (document: unknown, path: Path): readonly unknown[] => {
  const value = valueAt(document, path)
  return Array.isArray(value) ? value : []
}

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || canonicalJson(one ?? null) === canonicalJson(other ?? null)
