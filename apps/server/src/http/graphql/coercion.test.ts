import { GraphQLList, GraphQLObjectType, GraphQLScalarType, GraphQLSchema, GraphQLString, parse } from 'graphql'
import { expect, test } from 'vitest'
import { variableFaults } from './coercion.ts'

test('a list of wrong values is only read until the answer has as many errors as it may list', () => {
  let read = 0
  const scalar = new GraphQLScalarType({
    name: 'Picky',
    parseValue() {
      read++
      throw new TypeError('never valid')
    },
  })
  const query = new GraphQLObjectType({
    name: 'Query',
    fields: { all: { type: GraphQLString, args: { of: { type: new GraphQLList(scalar) } } } },
  })
  const schema = new GraphQLSchema({ query })
  const faults = variableFaults(schema, parse('query ($of: [Picky]) { all(of: $of) }'), undefined, { of: Array(90_000).fill('x') })
  expect([faults.length, read]).toEqual([50, 50])
  expect(faults[49]?.message).toContain('of.49 is "x"')
})
