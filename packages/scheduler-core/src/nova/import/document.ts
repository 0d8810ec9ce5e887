import { isJson } from '../../report/versioned-object.ts'

/** A document as JSON, without the lists of changed fields in Nova's objects: they have no fixed order, and no meaning for the request. */
export function withoutChanges(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChanges)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      key === 'nova_object.changes' || field === undefined ? [] : [[key, withoutChanges(field)]],
    ),
  )
}
