/** Writes JSON with sorted keys and without undefined members. Equal values then have the same text on every platform. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  const members = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(members)
    .filter((key) => members[key] !== undefined)
    .sort(byCodeUnit)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(members[key])}`).join(',')}}`
}

/** Compares texts by UTF-16 code units. Unlike a locale order, this order is the same on every platform. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
