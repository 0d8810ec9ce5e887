import { expect, test } from 'vitest'
import { inEditors, toGraphiql } from './graphiql.ts'

test('the address contains a call with its variables, and no variables if the call has none', () => {
  expect(toGraphiql('{ viewer { scopes } }')).toEqual({ query: '{ viewer { scopes } }' })
  expect(toGraphiql('{ a }', { q: 'az:z1' })).toEqual({ query: '{ a }', variables: '{\n  "q": "az:z1"\n}' })
})

/** The length of an address of a call without the value of its only variable. */
const around = encodeURIComponent(`{a}${inEditors('{a}', { q: '' }).variables}`).length

test.each([
  ['ends at the limit', 12_000, true],
  ['is a character longer', 12_001, false],
])('a call that %s', (_what, characters, isLinked) => {
  const variables = { q: 'x'.repeat(characters - around) }
  const { query, variables: text = '' } = inEditors('{a}', variables)
  expect([query, JSON.parse(text)]).toEqual(['{a}', variables])
  expect(toGraphiql('{a}', variables) !== undefined).toBe(isLinked)
})
