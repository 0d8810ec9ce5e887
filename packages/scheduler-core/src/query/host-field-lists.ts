import type { QueryValue } from './compile.ts'
import {
  type ColumnField,
  type FacetField,
  type FieldHolding,
  type HostField,
  type HostValue,
  hostFields,
  type ReadableHost,
  type ReportedField,
} from './host-fields.ts'

const isReported = (field: HostField): field is ReportedField => 'isReported' in field
const isFacet = (field: HostField): field is FacetField => 'isFacet' in field
const hasColumn = (field: HostField): field is ColumnField => 'column' in field

export const reportedFields: readonly ReportedField[] = hostFields.filter(isReported)

/** The fields of the facets, in the order of the page. The first one is whether a host accepts instances. */
export const facetFields: readonly FacetField[] = first(hostFields.filter(isFacet), ['state', 'status'])

/** The fields that are columns of the API. Texts and sets of texts come first. */
export const columnFields: readonly ColumnField[] = first(
  hostFields.filter(hasColumn),
  facetFields.filter((field) => !isReported(field)).map(({ name }) => name),
)

export const fieldsHolding = <const Held extends 'code' | 'set' | 'number'>(held: Held): readonly FieldHolding<Held>[] =>
  columnFields.filter((field): field is FieldHolding<Held> => field.holds === held)

/** Moves the fields with these names to the front, in this order. The others keep their order. */
export function first<Field extends { readonly name: string }>(
  fields: readonly Field[],
  names: readonly Field['name'][],
): readonly Field[] {
  const place = (name: string): number => (names.includes(name) ? names.indexOf(name) : names.length)
  return fields.toSorted((a, b) => place(a.name) - place(b.name))
}

/** Maps each field to a value. The keys are the fields' names or columns. */
export function byField<Field extends object, Key extends keyof Field & string, Value>(
  fields: readonly Field[],
  key: Key,
  make: (field: Field, index: number) => Value,
): Readonly<Record<Field[Key] & string, Value>> {
  return Object.fromEntries(fields.map((field, index) => [field[key], make(field, index)])) as Record<Field[Key] & string, Value>
}

/**
 * Converts the number in a field's column to the number that the filter grammar compares; undefined if the column has no number for the
 * host.
 */
export function comparedOf(field: HostField, stored: number, nowMs: number): number | undefined {
  if (field.name === 'age') return stored === 0 ? undefined : Math.max(0, (nowMs - stored) / 1_000)
  return 'scale' in field ? stored / field.scale : stored
}

/** The value of a host's field that the filter grammar compares. */
export function readField(field: HostField, host: ReadableHost, nowMs: number): QueryValue {
  const value: HostValue = field.read(host)
  if (typeof value === 'number') return comparedOf(field, value, nowMs)
  if (value === null) return undefined
  return value instanceof Set ? [...value] : (value as string | readonly string[])
}
