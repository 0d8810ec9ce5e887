import { expect, test } from 'vitest'
import { commandOf, curlOf, graphqlOf } from './copies.ts'
import { graphql } from './service/graphql.ts'

const asked = graphql('query Asked($id: ID!) { decision(id: $id) { id } }')

test('curl sends the same query and variables, and takes the key from the environment', () => {
  const line = curlOf('http://here:1', asked, { id: "it's" })
  expect(line).toMatch(/^curl -s http:\/\/here:1\/graphql -H "authorization: Bearer \$GANTT_KEY" /)
  const [, quoted = ''] = / -d '(.*)'$/.exec(line) ?? []
  expect(JSON.parse(quoted.replaceAll("'\\''", "'"))).toEqual({
    query: 'query Asked($id: ID!) { decision(id: $id) { id } }',
    variables: { id: "it's" },
  })
})

test('the query is copied with its variables, if it has any', () => {
  const [query, variables = ''] = graphqlOf(asked, { id: 'x', instance: null }).split('# variables')
  expect(query).toContain('decision(id: $id)')
  expect(JSON.parse(variables)).toEqual({ id: 'x', instance: null })
  expect(graphqlOf('{ health { mode } }')).toBe('{ health { mode } }')
})

test.each([
  [{}, 'gantt hosts'],
  [{ query: '', at: undefined, node: null }, 'gantt hosts'],
  [{ query: 'az:z1 -agg:gpu', at: '88123' }, "gantt hosts --query 'az:z1 -agg:gpu' --at 88123"],
])('a command omits options without a value: %j', (options, line) => expect(commandOf('gantt hosts', options)).toBe(line))
