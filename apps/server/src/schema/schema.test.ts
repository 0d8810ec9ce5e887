import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql'
import { expect, test } from 'vitest'
import { createSchema } from './index.ts'

const schema = createSchema()
const parts = partsOf(schema)

test('schema.graphql equals the source (npm run schema --workspace apps/server writes it)', async () => {
  await expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toMatchFileSnapshot('../../schema.graphql')
})

test('every type, field, argument and input field has a description', () => {
  expect(parts.length).toBeGreaterThan(2_000)
  expect(parts.filter(({ isValue, description }) => !isValue && description === '').map(({ name }) => name)).toEqual([])
})

/**
 * A description with fewer words adds nothing to the name. A description of three words adds nothing if it only refers to a different
 * description ("Of the change.").
 */
const MIN_WORDS = 3
const POINTER = /^(All|As|By|How|In|Its|None|Of|One|Up|What|When|Where|Whether|Which|Who|Whose|Why|Without)\b/

const isFiller = (description: string): boolean => {
  const words = description.split(/\s+/).length
  return description !== '' && (words < MIN_WORDS || (words === MIN_WORDS && POINTER.test(description)))
}

test('no description is a filler', () => {
  expect(['Which.', 'The claim.', 'Of the change.'].filter(isFiller)).toHaveLength(3)
  expect(parts.filter(({ description }) => isFiller(description)).map(({ name, description }) => `${name}: ${description}`)).toEqual([])
})

interface Part {
  readonly name: string
  readonly description: string
  /** True for a value of an enum. Such a value needs no description. */
  readonly isValue?: boolean
}

/** Everything in the schema that can have a description. */
function partsOf(schema: GraphQLSchema): Part[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => {
      const own = partOf(type.name, type)
      if (isEnumType(type))
        return [own, ...type.getValues().map((value) => ({ ...partOf(`${type.name}.${value.name}`, value), isValue: true }))]
      if (isInputObjectType(type))
        return [own, ...Object.values(type.getFields()).map((field) => partOf(`${type.name}.${field.name}`, field))]
      if (!isObjectType(type) && !isInterfaceType(type)) return [own]
      const fields = Object.values(type.getFields()).map((field) => ({ field, path: `${type.name}.${field.name}` }))
      return [
        own,
        ...fields.flatMap(({ field, path }) => [partOf(path, field), ...field.args.map((arg) => partOf(`${path}(${arg.name})`, arg))]),
      ]
    })
}

function partOf(name: string, { description }: { readonly description?: string | null | undefined }): Part {
  return { name, description: description ?? '' }
}
