import { z } from 'zod'

type Schema = z.core.$ZodType

/** A field of a form, with its description and with the values that its zod schema accepts. */
export interface FieldForm {
  /** Names of the fields from the root, joined by dots. Empty for the root. The items of a list have the path of the list. */
  readonly path: string
  /** The schema of the field's value, without the wrappers for optional, nullable and default values and for transformations. */
  readonly schema: Schema
  readonly isRequired: boolean
  /** The default value; undefined if the field has no default. */
  readonly preset: unknown
  /** The description of the field or, if the field has none, the description of the schema of its value. */
  readonly description: string | undefined
  readonly unit: string | undefined
  /** The description that the schema of the value has itself, as opposed to the description of the field. Undefined if it has none. */
  readonly ownDescription: string | undefined
  /** The version that added the field; undefined if the oldest version has it. */
  readonly since: string | undefined
  /** The versions that have the field, each with the schema of the values that it accepts. */
  readonly versions: readonly (readonly [version: string, schema: Schema])[]
}

/** Describes the field at a path of a form. `versions` are the published versions that have the field, oldest first. */
export function fieldForm(schema: Schema, path: string, versions: FieldForm['versions'], since?: string): FieldForm {
  let inner = schema
  let isRequired = true
  let preset: unknown
  const metas: z.core.GlobalMeta[] = []
  for (;;) {
    const meta = z.globalRegistry.get(inner)
    if (meta !== undefined) metas.push(meta)
    if (inner instanceof z.ZodPipe) {
      inner = inner.in
      continue
    }
    if (!(inner instanceof z.ZodOptional || inner instanceof z.ZodNullable || inner instanceof z.ZodDefault)) break
    isRequired = false
    if (inner instanceof z.ZodDefault) preset ??= inner.def.defaultValue
    inner = inner.unwrap()
  }
  return {
    path,
    schema: inner,
    isRequired,
    preset,
    description: metas.map(({ description }) => description).find((text) => text !== undefined),
    unit: metas.map(({ unit }) => unit).find((text) => typeof text === 'string'),
    ownDescription: z.globalRegistry.get(inner)?.description,
    since,
    versions,
  }
}

/** The fields of the object that a field accepts. */
export function membersOf({ path, versions }: FieldForm, { shape }: z.ZodObject): ReadonlyMap<string, FieldForm> {
  return new Map(
    Object.entries(shape).map(([name, schema]) => {
      const known = versions.flatMap(([version, older]) => {
        const member = memberOf(older, name)
        return member === undefined ? [] : [[version, member] as const]
      })
      const since = known[0]?.[0] === versions[0]?.[0] ? undefined : known[0]?.[0]
      return [name, fieldForm(schema, path === '' ? name : `${path}.${name}`, known, since)]
    }),
  )
}

/** Describes the items of a list as a `FieldForm`. The items have the path of the list. */
export const itemOf = ({ path, versions, since }: FieldForm, { element }: z.ZodArray): FieldForm =>
  fieldForm(element, path, versions, since)

/** The schema of a named field in the object, or in the list of objects, that a schema accepts. */
function memberOf(schema: Schema, name: string): Schema | undefined {
  const { schema: inner } = fieldForm(schema, '', [])
  if (inner instanceof z.ZodArray) return memberOf(inner.element, name)
  return inner instanceof z.ZodObject ? inner.shape[name] : undefined
}

/**
 * The description of a field in sentences. With `isNamed`, the allowed values are omitted, because the API's type lists them. With
 * `isPrinted`, the default is omitted, because the API shows it.
 */
export function describe({ path, schema, description, unit, preset, since }: FieldForm, { isNamed = false, isPrinted = false }): string {
  if (description === undefined) throw new TypeError(`${path} has no description; add one to its schema with .describe()`)
  const sentences = [
    description,
    ...(unit === undefined || description.toLowerCase().includes(unit.toLowerCase()) ? [] : [`Unit: ${unit}.`]),
    ...(schema instanceof z.ZodEnum && !isNamed ? [`One of: ${schema.options.join(', ')}.`] : []),
    ...(schema instanceof z.ZodNumber && !isNamed ? rangeOf(schema) : []),
    ...(isPrinted || !isPlain(preset) ? [] : [`Default: ${isNamed && typeof preset === 'string' ? constantCase(preset) : preset}.`]),
    ...(since === undefined ? [] : [`Since ${since}.`]),
  ]
  return sentences.join(' ')
}

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '')

/** The name of an enum's value in the API. */
const constantCase = (value: string): string => value.replaceAll('-', '_').toUpperCase()

/** The range of a number as a sentence. The range of safe integers is left out, because every integer has it. */
function rangeOf({ minValue, maxValue }: z.ZodNumber): string[] {
  if (minValue === null || maxValue === null) return []
  if (!Number.isFinite(minValue) || !Number.isFinite(maxValue) || Math.abs(maxValue) >= Number.MAX_SAFE_INTEGER) return []
  return [`Range: ${grouped(minValue)} to ${grouped(maxValue)}.`]
}

/** The number format is created only once, because creating it takes longer than formatting hundreds of numbers. */
const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 })
const grouped = (value: number): string => numbers.format(value)
