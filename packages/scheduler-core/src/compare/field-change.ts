import type { Profile } from '../records/profile.ts'
import { canonicalJson } from '../values/canonical-json.ts'
import { isJsonObject } from '../values/json.ts'

/** One field in which two documents differ. */
export interface FieldChange {
  readonly field: string
  /** The value in the first document as text. Null if the first document does not have the field. */
  readonly before: string | null
  readonly after: string | null
}

const MAX_TEXT = 200

/** The fields in which two documents differ, with dotted paths. Lists are compared as a whole. */
export function documentChanges(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (before === after || canonicalJson(before) === canonicalJson(after)) return []
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ field: path, before: shown(before), after: shown(after) }]
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name) => documentChanges(before[name], after[name], path === '' ? name : `${path}.${name}`))
}

/**
 * The differences between two profiles. Filters and weighers are compared by name, with their positions, multipliers and options. Name,
 * version number and note of the profiles are ignored.
 */
export const profileChanges = (before: Profile, after: Profile): FieldChange[] => documentChanges(comparable(before), comparable(after))

function comparable({ name: _name, number: _number, note: _note, filters, weighers, ...rest }: Profile): unknown {
  return {
    filters: byName(filters.map((filter, i) => ({ ...filter, place: i + 1 }))),
    weighers: byName(weighers),
    ...rest,
  }
}

/** Indexes filters or weighers by name. If a profile lists a name twice, the second entry is called `name (2)`. */
function byName(parts: readonly { readonly name: string }[]): Record<string, unknown> {
  const named: Record<string, unknown> = {}
  for (const { name, ...part } of parts) {
    let key = name
    for (let i = 2; Object.hasOwn(named, key); i++) key = `${name} (${i})`
    named[key] = part
  }
  return named
}

function shown(value: unknown): string | null {
  if (value === undefined) return null
  const text = typeof value === 'string' ? value : canonicalJson(value)
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 3)}...` : text
}
