import { z } from 'zod'

/** The content of a reference page in docs: a form of documents with its published versions, oldest first. */
export interface Form {
  readonly title: string
  /** The text before the table of fields. `rules` are the rules between several fields. */
  readonly intro: readonly string[]
  readonly rules: readonly string[]
  readonly versions: readonly { readonly version: string; readonly schema: z.ZodType }[]
}

/** Writes the page: a table with the fields of the newest version, then the fields that each older version lacks. */
export function pageOf({ title, intro, rules, versions }: Form): string {
  const tables = versions.map(({ version, schema }) => ({ version, fields: fieldsOf(shapeOf(schema)) }))
  const newest = tables.at(-1)
  if (newest === undefined) throw new RangeError(`expected at least one version of ${title}, found none`)
  const since = (path: string) => tables.find(({ fields }) => fields.some((field) => field.path === path))?.version ?? newest.version
  const older = tables.slice(0, -1).reverse()
  const lines = [
    `# ${title}`,
    '',
    ...intro,
    '',
    `## ${newest.version}`,
    '',
    '| field | type | unit | range | default | since | meaning |',
    '|---|---|---|---|---|---|---|',
    ...newest.fields.map((field) => rowOf(field, since(field.path))),
    '',
    '## Rules that are not in the table',
    '',
    ...rules.map((rule) => `- ${rule}`),
    ...older.flatMap(({ version, fields }) => ['', `## ${version}`, '', ...differencesOf(fields, newest.fields, newest.version)]),
  ]
  return `${lines.join('\n')}\n`
}

interface Field {
  readonly path: string
  readonly type: string
  readonly unit: string
  readonly range: string
  readonly preset: string
  readonly meaning: string
}

/** The keywords of JSON Schema that the published versions use. */
interface Shape {
  readonly type?: string
  readonly const?: string
  readonly enum?: readonly string[]
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: Shape | false
  readonly anyOf?: readonly Shape[]
  readonly required?: readonly string[]
  readonly default?: unknown
  readonly description?: string
  readonly unit?: string
}

const shapeOf = (schema: z.ZodType): Shape => JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })))

function fieldsOf({ properties = {}, required = [] }: Shape, prefix = ''): Field[] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const path = `${prefix}${name}`
    const preset = required.includes(name) ? 'required' : 'default' in shape ? `\`${JSON.stringify(shape.default)}\`` : 'not given'
    const { description = '', unit = '' } = shape
    const field: Field = { path, type: typeOf(shape), unit, range: rangeOf(shape), preset, meaning: description }
    const inner = alternativesOf(shape).flatMap((one) =>
      one.type === 'array' ? fieldsOf(one.items ?? {}, `${path}[].`) : fieldsOf(one, `${path}.`),
    )
    return [field, ...inner]
  })
}

/** Lists the alternatives of a schema, including nested ones, without null. */
const alternativesOf = (shape: Shape): readonly Shape[] =>
  shape.anyOf === undefined ? [shape] : shape.anyOf.filter(({ type }) => type !== 'null').flatMap(alternativesOf)

const isNullable = ({ anyOf = [] }: Shape): boolean => anyOf.some(({ type }) => type === 'null')

function typeOf(shape: Shape): string {
  const types = alternativesOf(shape).map(typeOfOne)
  return [...types, ...(isNullable(shape) ? ['null'] : [])].join(' or ')
}

function typeOfOne(shape: Shape): string {
  const {
    type,
    const: only,
    enum: values = only === undefined ? undefined : [only],
    format,
    items,
    properties,
    additionalProperties,
  } = shape
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(', ')
  if (format === 'uuid') return 'UUID'
  if (type === 'array') return `list: ${typeOf(items ?? {})}`
  if (type !== 'object')
    return { integer: 'whole number', number: 'number', string: 'text', boolean: 'true or false' }[type ?? ''] ?? 'JSON object'
  return properties === undefined && additionalProperties ? `map: ${typeOf(additionalProperties)}` : 'object'
}

function rangeOf(shape: Shape): string {
  return alternativesOf(shape)
    .flatMap((one) => rangesOf(one))
    .join('; ')
}

function rangesOf({
  type,
  format,
  pattern,
  minimum,
  maximum,
  minLength,
  maxLength,
  minItems,
  maxItems,
  items,
  additionalProperties,
}: Shape): string[] {
  const ranges: string[] = []
  // The range of safe integers comes from zod, not from the schema of the form. Therefore, it is not shown.
  if (minimum !== undefined || maximum !== undefined) ranges.push(between(minimum, maximum))
  if (pattern !== undefined && format !== 'uuid') ranges.push(`\`${pattern}\``)
  if (minLength !== undefined || maxLength !== undefined) ranges.push(`${between(minLength, maxLength)} characters`)
  if (minItems !== undefined || maxItems !== undefined) ranges.push(`${between(minItems, maxItems)} entries`)
  const inner = type === 'array' ? items : additionalProperties || undefined
  const each = inner === undefined ? '' : rangeOf(inner)
  if (each === '') return ranges
  return [...ranges, each.startsWith('each ') ? each : `each ${each}`]
}

const between = (least: number | undefined, most: number | undefined): string =>
  most === undefined ? `${grouped(least ?? 0)} or more` : `${grouped(least ?? 0)} to ${grouped(most)}`

const grouped = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 3 })

const rowOf = ({ path, type, unit, range, preset, meaning }: Field, since: string): string =>
  `| ${[`\`${path}\``, type, unit, range, preset, since, meaning].map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`

function differencesOf(fields: readonly Field[], newer: readonly Field[], version: string): string[] {
  const known = new Map(fields.map((field) => [field.path, field]))
  const lacks = ({ path }: Field) => !known.has(path)
  // If an older version does not have a field, the fields inside this field are not listed in addition.
  const isInside = ({ path }: Field) =>
    newer.some((other) => lacks(other) && /^[.[]/.test(path.slice(other.path.length)) && path.startsWith(other.path))
  const missing = newer.filter((field) => lacks(field) && !isInside(field)).map(({ path }) => `\`${path}\``)
  const changed = newer.flatMap(({ path, type, range, preset }) => {
    const then = known.get(path)
    if (then === undefined || (then.type === type && then.range === range && then.preset === preset)) return []
    return [`- \`${path}\` is ${then.type}${then.range === '' ? '' : `, ${then.range}`}; default ${then.preset}.`]
  })
  return [
    `The same fields as ${version}, except ${missing.join(', ')}.`,
    ...(changed.length > 0 ? ['', `Other differences from ${version}:`, '', ...changed] : []),
  ]
}
