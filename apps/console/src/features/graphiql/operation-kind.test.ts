import { describe, expect, it } from 'vitest'
import { kindOf } from './operation-kind.ts'

describe('the kind of the operation that GraphiQL would run', () => {
  it.each([
    ['a query', '{ viewer { scopes } }', undefined, 'query'],
    ['a mutation', 'mutation { a }', undefined, 'mutation'],
    ['a subscription', 'subscription { a }', undefined, 'subscription'],
    ['the named query', 'query A { a } mutation B { b }', 'A', 'query'],
    ['the named mutation', 'query A { a } mutation B { b }', 'B', 'mutation'],
    ['no name, and one of the operations is a mutation', 'query A { a } mutation B { b }', undefined, 'mutation'],
    ['an unknown name, and one of the operations is a mutation', 'query A { a } mutation B { b }', 'C', 'mutation'],
    ['no name, and all operations are queries', 'query A { a } query B { b }', undefined, undefined],
    ['a text that cannot be parsed', 'mutation { a', undefined, undefined],
    ['an empty text', '', undefined, undefined],
  ])('%s', (_name, query, operationName, kind) => {
    expect(kindOf({ query, ...(operationName === undefined ? {} : { operationName }) })).toBe(kind)
  })
})
