/**
 * Writes JSON with sorted keys and without undefined members. Equal values then have the same text on every platform. Receipts, digests and
 * the audit write each decision several times in this form, so it is written without lists of parts (canonical-json.test.ts compares it with
 * a plain form).
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) {
    let items = ''
    for (let i = 0; i < value.length; i++) items += i === 0 ? canonicalJson(value[i]) : `,${canonicalJson(value[i])}`
    return `[${items}]`
  }
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON())
  const object = value as Readonly<Record<string, unknown>>
  let members = ''
  for (const key of sortKeys(Object.keys(object))) {
    const member = object[key]
    if (member !== undefined) members += (members === '' ? firstName(key) : laterName(key)) + canonicalJson(member)
  }
  return `{${members}}`
}

/** Texts of only these characters are written as they are, between quotes: ASCII without control characters, quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/
/** Longer texts are left to JSON.stringify, which is faster for them. */
const SHORT = 100

const quoted = (text: string): string => (text.length <= SHORT && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))

/** Keys are written from memory, because nearly all are names of fields. Keys that callers choose fill at most MAX_NAMES places. */
const MAX_NAMES = 1_000
const firstNames = new Map<string, string>()
const laterNames = new Map<string, string>()

const firstName = (key: string): string => firstNames.get(key) ?? remember(firstNames, key, `${quoted(key)}:`)
const laterName = (key: string): string => laterNames.get(key) ?? remember(laterNames, key, `,${quoted(key)}:`)

function remember(names: Map<string, string>, key: string, name: string): string {
  if (names.size < MAX_NAMES && key.length <= SHORT) names.set(key, name)
  return name
}

/** More keys are sorted by the general method. */
const FEW_KEYS = 24

/** Sorts the list in place by code units. A few keys, which are often almost in order, are sorted by insertion. */
function sortKeys(keys: string[]): string[] {
  if (keys.length > FEW_KEYS) return keys.sort(byCodeUnit)
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string
    let at = i
    for (; at > 0 && (keys[at - 1] as string) > key; at--) keys[at] = keys[at - 1] as string
    keys[at] = key
  }
  return keys
}

/** Compares texts by UTF-16 code units. Unlike a locale order, this order is the same on every platform. */
export const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
