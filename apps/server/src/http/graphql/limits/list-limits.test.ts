import {
  atOnce,
  CURRENT_SPEC_VERSION,
  CURRENT_STATS_VERSION,
  fleetEditsSchema,
  profileSchema,
  specSchemas,
  statsDeltaV1,
  statsSchemas,
} from '@gantt/scheduler-core'
import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createSchema } from '../../../schema/index.ts'
import { scalarRules } from '../../../schema/types/scalars.ts'
import { checkListsInSteps, LIST_ITEMS, listLimits } from './list-limits.ts'

const schema = createSchema()
const inner = (type: GraphQLInputType): GraphQLInputType => (isNonNullType(type) ? type.ofType : type)
const isList = (type: GraphQLInputType): boolean => isListType(inner(type))
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'))
const fields = types.flatMap((type) => (isInputObjectType(type) ? Object.values(type.getFields()).map((field) => ({ type, field })) : []))
const ofInputs = fields.flatMap(({ type, field }) => (isList(field.type) ? [`${type.name}.${field.name}`] : []))
const ofArguments = types.flatMap((type) =>
  isObjectType(type)
    ? Object.values(type.getFields()).flatMap((field) =>
        field.args.flatMap((argument) => (isList(argument.type) ? [String(argument.type)] : [])),
      )
    : [],
)

/** A list that counts every read of a property other than its length. */
function aList(length: number) {
  const read = { items: 0 }
  const list = new Proxy(new Array<unknown>(length), {
    get: (target, key, receiver): unknown => {
      if (key !== 'length') read.items++
      return Reflect.get(target, key, receiver)
    },
  })
  return { list, read }
}

const check = (type: string, variables: Readonly<Record<string, unknown>>): unknown => {
  try {
    atOnce(checkListsInSteps(schema, parse(`query ($v: ${type}) { __typename }`), undefined, variables))
    return undefined
  } catch (error) {
    return (error as { readonly extensions: unknown }).extensions
  }
}

describe('a list that is too long is refused before its items are read', () => {
  test.each(ofInputs)('%s', (name) => {
    const [type = '', field = ''] = name.split('.')
    const most = listLimits[name] ?? LIST_ITEMS
    const { list, read } = aList(most + 1)
    expect(check(type, { v: { [field]: list } })).toMatchObject({
      rule: 'limit.list',
      path: ['v', field],
      allowed: `a list of at most ${most}`,
    })
    expect(read.items).toBe(0)
    expect(check(type, { v: { [field]: new Array(most).fill(null) } })).toBeUndefined()
  })

  test.each([...new Set(ofArguments)])('a list in an argument that is too long is refused: %s', (type) => {
    const { list, read } = aList(LIST_ITEMS + 1)
    expect(check(type, { v: list })).toMatchObject({ rule: 'limit.list', path: ['v'] })
    expect(read.items).toBe(0)
  })

  test('a list within lists is refused if it is too long', () => {
    const hosts = new Array(101).fill(null)
    const classes = { v: [{ classes: [] }, { classes: hosts }] }
    expect(check('[FleetAllocationInput!]', classes)).toMatchObject({ path: ['v', '1', 'classes'] })
  })
})

describe('JSON values of variables', () => {
  /** An object with many keys that counts how many times its keys are listed. */
  const anObject = (keys: number, ends: unknown) => {
    const listed = { times: 0 }
    const target = Object.fromEntries([...Array.from({ length: keys }, (_, i) => [`k${i}`, i]), ['end', ends]])
    const value = new Proxy(target, {
      ownKeys: (of) => {
        listed.times++
        return Reflect.ownKeys(of)
      },
    })
    return { value, listed }
  }
  const document = parse('query ($v: SpecInput!, $w: [ResourceStatsInput!]!) { __typename }')

  test.each([
    ['allowed', 'text', true],
    ['not allowed', '\ud800', false],
  ])('a large value that is %s is checked in steps, and the scalar uses the result', (_what, ends, isAllowed) => {
    const spec = anObject(20_000, ends)
    const report = anObject(20_000, ends)
    const variables = { v: { nova: spec.value }, w: [{ report: { nova: report.value } }] }
    const steps = [...checkListsInSteps(schema, document, undefined, variables)]
    expect(steps.length).toBeGreaterThanOrEqual(2 * 4)
    const before = [spec.listed.times, report.listed.times]
    expect([spec, report].map(({ value }) => scalarRules.JSON.read(value) !== undefined)).toEqual([isAllowed, isAllowed])
    expect([spec.listed.times, report.listed.times]).toEqual(before)
  })
})

test('the table of limits names only lists of the schema', () => {
  expect(Object.keys(listLimits).filter((name) => !ofInputs.includes(name))).toEqual([])
})

/** The part of JSON Schema with the maximum length of a list. */
interface Shape {
  readonly maxItems?: number
  readonly properties?: Readonly<Record<string, Shape>>
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

/**
 * The lists that both the JSON Schema of a document and its GraphQL input type contain: their names in the table of limits, and their
 * maximum lengths in the JSON Schema.
 */
function listsOf(type: GraphQLInputObjectType, { properties = {} }: Shape): (readonly [name: string, most: number])[] {
  return Object.entries(properties).flatMap(([name, shape]) => {
    const field = type.getFields()[name]
    if (field === undefined) return []
    return [shape, ...(shape.anyOf ?? [])].flatMap((one) => {
      const named = getNamedType(field.type)
      const within = one.items ?? one
      return [
        ...(one.maxItems === undefined ? [] : [[`${type.name}.${name}`, one.maxItems] as const]),
        ...(isInputObjectType(named) && within.properties !== undefined ? listsOf(named, within) : []),
      ]
    })
  })
}

test.each<[string, z.ZodType]>([
  ['RequestSpecInput', specSchemas[CURRENT_SPEC_VERSION].in],
  ['FullStatsInput', statsSchemas[CURRENT_STATS_VERSION]],
  ['StatsDeltaInput', statsDeltaV1],
  ['ProfileVersionInput', profileSchema],
  ['FleetOverlayInput', fleetEditsSchema],
])('no list that the form of %s accepts is refused for its length', (name, form) => {
  const type = schema.getType(name)
  if (!isInputObjectType(type)) throw new Error(`${name} is not an input type`)
  const shape: Shape = JSON.parse(JSON.stringify(z.toJSONSchema(form, { io: 'input', unrepresentable: 'any' })))
  const lists = listsOf(type, shape)
  expect(lists.length).toBeGreaterThan(0)
  expect(lists.filter(([list, most]) => most > (listLimits[list] ?? LIST_ITEMS))).toEqual([])
})
