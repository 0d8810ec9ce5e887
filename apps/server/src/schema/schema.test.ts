import { type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType, lexicographicSortSchema, printSchema } from 'graphql'
import { expect, test } from 'vitest'
import { createSchema } from './index.ts'

const schema = createSchema()

test('schema.graphql is what the code says (npm run schema --workspace apps/server writes it)', async () => {
  await expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toMatchFileSnapshot('../../schema.graphql')
})

test('every type, field, argument and input field has a description', () => {
  expect(undescribed(schema)).toEqual([])
})

function undescribed(schema: GraphQLSchema): string[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => {
      const own = type.description ? [] : [type.name]
      if (isInputObjectType(type)) return [...own, ...without(type.name, Object.values(type.getFields()))]
      if (!isObjectType(type) && !isInterfaceType(type)) return own
      const fields = Object.values(type.getFields())
      return [...own, ...without(type.name, fields), ...fields.flatMap(({ name, args }) => without(`${type.name}.${name}`, args))]
    })
}

const without = (owner: string, parts: readonly { readonly name: string; readonly description?: string | null | undefined }[]): string[] =>
  parts.filter(({ description }) => !description).map(({ name }) => `${owner}.${name}`)
