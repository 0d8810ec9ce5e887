import {
  CURRENT_SPEC_VERSION,
  CURRENT_STATS_VERSION,
  fleetEditsSchema,
  profileSchema,
  specSchemas,
  statsDeltaV1,
  statsSchemas,
} from '@gantt/scheduler-core'
import fc from 'fast-check'
import { type GraphQLInputObjectType, getNamedType, isInputObjectType } from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Issue } from '../../services/calls/outcome.ts'
import { newBuilder } from '../builder.ts'
import { createSchema } from '../index.ts'
import { inputsIn } from './form-input.ts'

const { nova: _, ...spec } = specSchemas[CURRENT_SPEC_VERSION].in.shape
const { nova: __, ...stats } = statsSchemas[CURRENT_STATS_VERSION].shape
const { name: ___, number: ____, ...profile } = profileSchema.shape

/** The parts of a JSON Schema that name the fields of a form. */
interface Shape {
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

const shapeOf = (form: z.ZodType): Shape => JSON.parse(JSON.stringify(z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' })))

/** The object that a schema accepts, directly or in a list. */
const objectIn = (shape: Shape): Shape | undefined =>
  shape.properties === undefined ? [...(shape.anyOf ?? []), ...(shape.items ? [shape.items] : [])].map(objectIn).find(Boolean) : shape

/**
 * The paths of fields of a form that the input type lacks. The fields of the form are read from its JSON Schema, because the tested code
 * does not use JSON Schema.
 */
function missingIn(type: GraphQLInputObjectType, form: Shape, path: readonly string[] = []): string[] {
  return Object.entries(form.properties ?? {}).flatMap(([name, shape]) => {
    const at = [...path, name]
    const field = type.getFields()[name]
    if (field === undefined) return [at.join('.')]
    const [inner, named] = [objectIn(shape), getNamedType(field.type)]
    return inner === undefined || !isInputObjectType(named) ? [] : missingIn(named, inner, at)
  })
}

const published = createSchema()

/** A separate builder. Otherwise the API's schema would contain the forms of these tests. */
const builder = newBuilder()
builder.queryField('isThere', (t) => t.boolean({ authScopes: { scope: 'READ' }, description: 'Always true.', resolve: () => true }))
const pair = builder.inputType('KeyValueInput', {
  description: 'One entry of a map.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the entry.' }),
    value: t.string({ required: true, description: 'Value of the entry.' }),
  }),
})
const inputOf = inputsIn({ builder, pair })

const typeNamed = (name: string, schema = builder.toSchema()): GraphQLInputObjectType => {
  const type = schema.getType(name)
  if (!isInputObjectType(type)) throw new Error(`${name} is no input type`)
  return type
}

const forms: readonly (readonly [type: string, form: z.ZodType])[] = [
  ['RequestSpecInput', z.strictObject(spec)],
  ['FullStatsInput', z.strictObject(stats)],
  ['StatsDeltaInput', statsDeltaV1],
  ['ProfileVersionInput', z.strictObject(profile)],
  ['FleetOverlayInput', fleetEditsSchema],
]

test.each(forms)('%s has every field of its form', (name, form) => {
  expect(Object.keys(shapeOf(form).properties ?? {}).length).toBeGreaterThan(5)
  expect(missingIn(typeNamed(name, published), shapeOf(form))).toEqual([])
})

test('the check for missing fields finds a missing field', () => {
  const more = z.strictObject({ ...spec, flavor: spec.flavor.extend({ colour: z.string().optional() }), added: z.string().optional() })
  expect(missingIn(typeNamed('RequestSpecInput', published), shapeOf(more))).toEqual(['flavor.colour', 'added'])
})

test('a field that is added to a form is a field of its input type', () => {
  const fields = z.strictObject({ ...statsDeltaV1.shape, added: z.array(z.number().int().min(0).max(9)).optional().describe('Was added.') })
  inputOf(fields.describe('A form with one more field.'), { name: 'AddedToInput', types: { localGbUsed: 'Int' } })
  expect(String(typeNamed('AddedToInput').getFields().added?.type)).toBe('[Int!]')
})

const text = z.string().describe('A text.')
const one = (field: z.ZodType) => z.strictObject({ field: field.describe('A field.') }).describe('A form.')

describe('a form with a type that the API does not have is refused', () => {
  test.each([
    ['bigint', z.bigint()],
    ['date', z.date()],
    ['tuple', z.tuple([z.string()])],
    ['union', z.union([z.string(), z.number()])],
    ['lazy', z.json()],
    ['custom', z.custom()],
    ['set', z.set(z.string())],
    ['string', z.email()],
    ['literal', z.literal('a')],
    ['any', z.any()],
  ])('%s', (kind, field) => {
    const refused = `Form: the field field is of the zod type ${kind}, which the API has no type for; expected an object, list,`
    for (const schema of [field, z.array(field), field.nullable(), field.optional()])
      expect(() => inputOf(one(schema), { name: 'Form' })).toThrow(refused)
  })

  test.each<[string, () => unknown]>([
    [
      'Form: the field field has no name for its type; add one to the table',
      () => inputOf(one(z.strictObject({ text })), { name: 'Form' }),
    ],
    [
      'Form: the field field has no name for its type; add one to the table',
      () => inputOf(one(z.record(text, z.array(text))), { name: 'Form' }),
    ],
    ['the table of Form names gone, which is no field of the form', () => inputOf(one(text), { name: 'Form', names: { gone: 'Gone' } })],
    ['the table of Forms names gone, which is no field of the form', () => inputOf(one(text), { name: 'Forms', types: { gone: 'JSON' } })],
    [
      'field has no description; add one to its schema with .describe()',
      () => inputOf(z.strictObject({ field: z.string() }).describe('A form.'), { name: 'Form' }),
    ],
    [
      'Form: the field field came with version 1.1, so its default must not be filled in: older versions refuse the field.',
      () =>
        inputOf(one(text.default('a')), {
          ...{ name: 'Form', printedDefaults: ['field'] },
          versions: { '1.0': z.strictObject({}), '1.1': one(text) },
        }),
    ],
    [
      'Form: the form has no description; add one to its schema with .describe()',
      () => inputOf(z.strictObject({ text }), { name: 'Form' }),
    ],
  ])('%s', (message, make) => {
    expect(make).toThrow(message)
  })
})

describe('the input that GraphQL passes on', () => {
  const form = z
    .strictObject({
      text: text.nullable(),
      rest: z.array(z.strictObject({ tags: z.record(text, text).describe('Tags.') }).describe('One of the rest.')).describe('The rest.'),
      hints: z.record(text, z.array(z.string()).describe('Values.')).default({}).describe('Hints.'),
      specs: z.array(z.record(text, text).describe('A spec.')).describe('Specs.'),
      free: z.json().describe('Anything.'),
    })
    .describe('A form.')
  const input = inputOf(form, {
    name: 'ReadInput',
    names: { rest: 'ReadRest', hints: 'ReadHint', specs: 'ReadSpec' },
    types: { free: 'JSON' },
  })
  const read = (given: object) => {
    const issues: Issue[] = []
    return { document: input.read(given, ['input'], issues), issues: issues.map(({ path }) => path.join('.')) }
  }

  test("the input that GraphQL passes has the names of the API's types", () => {
    const types = Object.fromEntries(Object.entries(typeNamed('ReadInput').getFields()).map(([name, { type }]) => [name, String(type)]))
    expect(types).toEqual({ text: 'String', rest: '[ReadRest!]!', hints: '[ReadHint!]', specs: '[ReadSpec!]!', free: 'JSON!' })
  })

  test('the input that GraphQL passes is read as the document of the form', () => {
    const map = <Value>(value: fc.Arbitrary<Value>) => fc.dictionary(fc.string(), value)
    const documents = fc.record({
      text: fc.option(fc.string(), { nil: null }),
      rest: fc.array(fc.record({ tags: map(fc.string()) })),
      hints: map(fc.array(fc.string())),
      specs: fc.array(map(fc.string())),
      free: fc.jsonValue(),
    })
    const pairs = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([key, value]) => ({ key, value }))
    fc.assert(
      fc.property(documents, (document) => {
        const given = {
          ...document,
          rest: document.rest.map(({ tags }) => ({ tags: pairs(tags) })),
          hints: Object.entries(document.hints).map(([key, values]) => ({ key, values })),
          specs: document.specs.map((record) => ({ properties: pairs(record) })),
        }
        const { text: ownText, free, ...others } = document
        const expected = { ...others, ...(ownText !== null && { text: ownText }), ...(free !== null && { free }) }
        expect(read(given)).toEqual({ document: expected, issues: [] })
        expect(input.write(document)).toEqual(given)
      }),
      { numRuns: 200 },
    )
  })

  test('a document is written as input without fields that the form does not have', () => {
    expect(input.write({ text: 'a', added: 1 })).toEqual({ text: 'a' })
  })

  test("a key that occurs twice is reported at the caller's path", () => {
    const twice = [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ]
    const given = {
      rest: [{ tags: [] }, { tags: twice }],
      specs: [{ properties: twice }],
      hints: [
        { key: 'h', values: [] },
        { key: 'h', values: [] },
      ],
    }
    expect(read(given).issues).toEqual(['input.rest.1.tags.1.key', 'input.specs.0.properties.1.key', 'input.hints.1.key'])
  })
})

test('a description contains the unit, the range, the values, the default and the version that added the field', () => {
  const older = z.strictObject({ memory: z.number() })
  const form = z
    .strictObject({
      memory: z.number().int().min(1).max(2_048).meta({ description: 'Memory of it.', unit: 'MiB' }),
      policy: z.enum(['near', 'far']).default('near').describe('Where it goes.'),
    })
    .describe('A form.')
  inputOf(form, { name: 'DescribedInput', versions: { '1.0': older, '1.1': form } })
  const { memory, policy } = typeNamed('DescribedInput').getFields()
  expect(memory?.description).toBe('Memory of it. Unit: MiB. Range: 1 to 2,048.')
  expect(policy?.description).toBe('Where it goes. One of: near, far. Default: near. Since 1.1.')
})
