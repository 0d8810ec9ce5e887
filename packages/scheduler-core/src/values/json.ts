/** Values that JSON can express. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject

/** A JSON object. A missing key differs from a key with the value null. */
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** True if the value is an object that JSON can express completely. The value must not have cycles, because the check would not end. */
export function isJsonObject(value: unknown): value is JsonObject {
  if (!isPlainObject(value)) return false
  const spots: unknown[] = [value]
  for (let spot = spots.pop(); spot !== undefined; spot = spots.pop()) {
    if (spot === null || typeof spot === 'string' || typeof spot === 'boolean') continue
    if (typeof spot === 'number') {
      if (!Number.isFinite(spot)) return false
      continue
    }
    if (!Array.isArray(spot) && !isPlainObject(spot)) return false
    for (const inner of Array.isArray(spot) ? spot : Object.values(spot)) {
      if (inner === undefined) return false
      spots.push(inner)
    }
  }
  return true
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (value === null || typeof value !== 'object') return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
