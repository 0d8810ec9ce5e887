import { expect, test } from 'vitest'
import { inEditors, toGraphiql } from './graphiql.ts'

test('the URL contains the call and its variables, if it has any', () => {
  expect(toGraphiql('{ viewer { scopes } }')).toEqual({ query: '{ viewer { scopes } }' })
  expect(toGraphiql('{ a }', { q: 'az:z1' })).toEqual({ query: '{ a }', variables: '{\n  "q": "az:z1"\n}' })
})

/** The length of the URL for a call whose only variable has an empty value. */
const around = encodeURIComponent(`{a}${inEditors('{a}', { q: '' }).variables}`).length

test.each([
  ['is exactly as long as the limit is linked', 12_000, true],
  ['is a character longer than the limit is not linked', 12_001, false],
])('a call that %s', (_what, characters, isLinked) => {
  const variables = { q: 'x'.repeat(characters - around) }
  const { query, variables: text = '' } = inEditors('{a}', variables)
  expect([query, JSON.parse(text)]).toEqual(['{a}', variables])
  expect(toGraphiql('{a}', variables) !== undefined).toBe(isLinked)
})
