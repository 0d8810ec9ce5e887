import type { QueryValue } from './compile.ts'
import type { HostValue } from './host-field-row.ts'
import { hostFields, type ReadableHost } from './host-fields.ts'

export type HostField = (typeof hostFields)[number]
export type HostFieldName = HostField['name']
/** The fields that hosts report about their machine. */
export type ReportedField = Extract<HostField, { readonly isReported: true }>
export type FacetField = Extract<HostField, { readonly isFacet: true }>
/** The fields that are columns of the API. */
export type ColumnField = Extract<HostField, { readonly column: string }>
/** The fields whose columns have values of the type `Held`. */
export type FieldHolding<Held extends 'code' | 'set' | 'number'> = Extract<ColumnField, { readonly holds: Held }>

const isReported = (field: HostField): field is ReportedField => 'isReported' in field
const isFacet = (field: HostField): field is FacetField => 'isFacet' in field
const hasColumn = (field: HostField): field is ColumnField => 'column' in field

export const reportedFields: readonly ReportedField[] = hostFields.filter(isReported)

/** The fields whose values are counted as facets, in the order in which the console shows them. Liveness and status come first. */
export const facetFields: readonly FacetField[] = first(hostFields.filter(isFacet), ['state', 'status'])

/** The fields that are columns of the API. Facets that do not come from reports are first. */
export const columnFields: readonly ColumnField[] = first(
  hostFields.filter(hasColumn),
  facetFields.filter((field) => !isReported(field)).map(({ name }) => name),
)

export const fieldsHolding = <const Held extends 'code' | 'set' | 'number'>(held: Held): readonly FieldHolding<Held>[] =>
  columnFields.filter((field): field is FieldHolding<Held> => field.holds === held)

/** Moves the fields with these names to the front, in the order of the names. The remaining fields keep their order. */
export function first<Field extends { readonly name: string }>(
  fields: readonly Field[],
  names: readonly Field['name'][],
): readonly Field[] {
  const indexOf = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length)
  return fields.toSorted((a, b) => indexOf(a.name) - indexOf(b.name))
}

/**
 * Makes an object with an entry for each field. `key` names the property of a field that becomes the key of the entry, such as `name` or
 * `column`.
 */
export function byField<Field extends object, Key extends keyof Field & string, Value>(
  fields: readonly Field[],
  key: Key,
  make: (field: Field, index: number) => Value,
): Readonly<Record<Field[Key] & string, Value>> {
  return Object.fromEntries(fields.map((field, index) => [field[key], make(field, index)])) as Record<Field[Key] & string, Value>
}

/** Converts a number of a field's column to the number that a filter compares. Undefined if the host never reported (field `age`). */
export function comparedOf(field: HostField, stored: number, nowMs: number): number | undefined {
  if (field.name === 'age') return stored === 0 ? undefined : Math.max(0, (nowMs - stored) / 1_000)
  return 'scale' in field ? stored / field.scale : stored
}

/** Reads a field of a host and returns the value that a filter compares. */
export function readField(field: HostField, host: ReadableHost, nowMs: number): QueryValue {
  const value: HostValue = field.read(host)
  if (typeof value === 'number') return comparedOf(field, value, nowMs)
  if (value === null) return undefined
  return value instanceof Set ? [...value] : (value as string | readonly string[])
}
