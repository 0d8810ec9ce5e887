import { readFileSync } from 'node:fs'
import { buildSchema, getOperationAST, parse, validate } from 'graphql'
import { describe, expect, it } from 'vitest'
import { examples } from './examples.ts'

const schema = buildSchema(readFileSync(new URL('../../../../server/schema.graphql', import.meta.url), 'utf8'))

describe('the examples on the GraphiQL page', () => {
  it.each(examples.map((example) => [example.label, example] as const))(
    '%s is a call that the service knows',
    (_label, { query, variables }) => {
      const document = parse(query)
      expect(validate(schema, document)).toEqual([])
      const named = getOperationAST(document)?.variableDefinitions?.map(({ variable }) => variable.name.value) ?? []
      expect(Object.keys(variables ?? {})).toEqual(named)
    },
  )
})
