import { aUuid } from '@gantt/cli/for-proofs'
import type { Random } from '@gantt/scheduler-core'
import { chance, longText, oneOf } from './choose.ts'
import { drawFilter } from './draw-filter.ts'
import { drawLegacySpec, drawNovaHost, drawNovaSpec, maybeDamaged } from './draw-nova.ts'
import type { LargeFleet } from './large-fleet.ts'
import { type Argument, isRequired, type Schema, type TypeRef } from './schema.ts'
import { BODY_BYTES, isLargerThan } from './size.ts'

/** The inputs for random documents and values: the schema, the objects of the fleet, and the random generator. */
export interface Source {
  readonly schema: Schema
  readonly fleet: LargeFleet
  readonly random: Random
}

/** The name of an enum value. It is printed without quotes in a document, and is a string in variables. */
export class EnumName {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

const TEXTS = [
  '',
  'x',
  'default',
  'filter',
  'RAMWeigher',
  'z1',
  'VCPU',
  '*',
  '\u202egnp',
  '\u0000',
  '\ud800',
  '"\\',
  'ä'.repeat(300),
  'a'.repeat(5_000),
]
const INTS = [-1, 0, 1, 1, 2, 5, 10, 20, 50, 500, 501, 2 ** 31 - 1]
/** Most lists have 1 to 3 items. In rare cases a list has `LONG_LIST` items, which is the longest list of most fields. */
const SHORTEST_LIST = 3
const LONG_LIST = 256
/** The most bytes of a text in an arbitrary place. Calls with longer texts are drawn separately. */
const LONG_TEXT = 100_000
const MAX_DEPTH = 5

/** A random value for an argument or an input field. Most values are valid. */
export function drawArgument(source: Source, { name, type }: Argument, depth = 0): unknown {
  return drawValue(source, type, name, depth)
}

function drawValue(source: Source, type: TypeRef, name: string, depth: number): unknown {
  const { random } = source
  if (chance(random, 2)) return oneOf(random, [null, 17, 'text', true, [], {}, [[[]]]])
  if (type.kind === 'NON_NULL' && type.ofType !== null) return drawValue(source, type.ofType, name, depth)
  if (type.kind === 'LIST' && type.ofType !== null) {
    const { ofType } = type
    const draw = () => drawValue(source, ofType, name, depth + 1)
    if (!chance(random, 2)) return Array.from({ length: 1 + random.below(SHORTEST_LIST) }, draw)
    if (chance(random, 50)) return Array.from({ length: LONG_LIST }, draw)
    const repeated = draw()
    const length = isLargerThan(repeated, BODY_BYTES / LONG_LIST) ? SHORTEST_LIST : LONG_LIST
    return Array.from({ length }, () => repeated)
  }
  const named = source.schema.types.get(type.name ?? '')
  if (named?.enumValues) return new EnumName(oneOf(random, named.enumValues).name)
  if (named?.inputFields) return drawObject(source, named.inputFields, named.isOneOf === true, depth)
  return drawScalar(source, type.name ?? '', name)
}

function drawObject(source: Source, fields: readonly Argument[], isOneOf: boolean, depth: number): Record<string, unknown> {
  const { random } = source
  const chosen =
    isOneOf && !chance(random, 3)
      ? [oneOf(random, fields)]
      : fields.filter(({ type }) => (isRequired(type) ? !chance(random, 1) : depth < MAX_DEPTH && chance(random, 25)))
  return Object.fromEntries(chosen.map((field) => [field.name, drawValue(source, field.type, field.name, depth + 1)]))
}

function drawScalar({ fleet, random }: Source, type: string, name: string): unknown {
  switch (type) {
    case 'Int':
    case 'PageSize':
      return name === 'first' && !chance(random, 20) ? 1 + random.below(20) : oneOf(random, INTS)
    case 'Float':
      return oneOf(random, [0, 0.5, -1, 1e300])
    case 'Boolean':
      return name === 'dryRun' ? !chance(random, 20) : chance(random, 50)
    case 'UUID':
      return oneOf(random, [oneOf(random, fleet.aggregates), oneOf(random, fleet.groups), aUuid(random), 'no-uuid'])
    case 'ID':
      return oneOf(random, [oneOf(random, fleet.decisions), oneOf(random, fleet.claims), 'default', 'default@1', 'SG9zdDp4'])
    case 'Duration':
      return oneOf(random, ['PT1S', 'PT0.2S', 'PT1H', 'P1D', 'soon'])
    case 'DateTime':
      return oneOf(random, ['2026-01-01T00:00:00Z', new Date(0).toISOString(), 'yesterday'])
    case 'Moment':
    case 'Revision':
      return String(chance(random, 80) ? 1 + random.below(fleet.revision) : oneOf(random, [0, fleet.revision * 10, 'x']))
    case 'SafeInt':
      return oneOf(random, [...INTS, 2 ** 53 - 1])
    case 'JSON':
      return oneOf(random, [
        {},
        [],
        { filters: [{ name: 'TraitsFilter' }], weighers: [] },
        { a: { b: { c: [1, 2, { d: 'e' }] } } },
        'text',
        null,
        maybeDamaged(random, drawNovaHost(random, oneOf(random, fleet.hosts))),
        maybeDamaged(random, drawNovaSpec(random, fleet.hosts)),
        maybeDamaged(random, drawLegacySpec(random)),
      ])
    default:
      return drawText({ fleet, random }, name)
  }
}

function drawText({ fleet, random }: Pick<Source, 'fleet' | 'random'>, name: string): string {
  if (name === 'query') return drawFilter(random, fleet)
  if (/host|name|node/i.test(name) && !chance(random, 15)) return oneOf(random, fleet.hosts)
  return chance(random, 2) ? longText(random, LONG_TEXT) : oneOf(random, TEXTS)
}

/** A value in the syntax of GraphQL documents. */
export function printValue(value: unknown): string {
  if (value instanceof EnumName) return value.name
  if (Array.isArray(value)) return `[${value.map(printValue).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}: ${printValue(each)}`)
    .join(', ')}}`
}

/** False if the value has keys that documents cannot contain, such as those of Nova's objects. Such a value is sent in a variable. */
export function isPrintable(value: unknown): boolean {
  if (value instanceof EnumName || typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isPrintable)
  return Object.entries(value).every(([key, each]) => /^[_a-z]\w*$/i.test(key) && isPrintable(each))
}

/** A value as JSON, for variables. */
export function plainValue(value: unknown): unknown {
  if (value instanceof EnumName) return value.name
  if (Array.isArray(value)) return value.map(plainValue)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plainValue(each)]))
}
