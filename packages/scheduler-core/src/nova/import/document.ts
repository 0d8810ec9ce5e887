import { isJson } from '../../report/versioned-object.ts'

/** Removes the lists `nova_object.changes` from Nova's objects. They have no effect, and their order is random. */
export function withoutChanges(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChanges)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      key === 'nova_object.changes' || field === undefined ? [] : [[key, withoutChanges(field)]],
    ),
  )
}
