import { isJson } from '../objects/wire.ts'

/**
 * A document as JSON has it, without the lists of changed fields that Nova's objects carry: their order is any, and they say nothing of
 * what is asked.
 */
export function withoutChanges(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutChanges)
  if (!isJson(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) =>
      key === 'nova_object.changes' || field === undefined ? [] : [[key, withoutChanges(field)]],
    ),
  )
}
