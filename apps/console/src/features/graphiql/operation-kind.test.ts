import { describe, expect, it } from 'vitest'
import { kindOf } from './operation-kind.ts'

describe('what would run', () => {
  it.each([
    ['a query', '{ viewer { scopes } }', undefined, 'query'],
    ['a mutation', 'mutation { a }', undefined, 'mutation'],
    ['a subscription', 'subscription { a }', undefined, 'subscription'],
    ['the one that is named', 'query A { a } mutation B { b }', 'A', 'query'],
    ['the other that is named', 'query A { a } mutation B { b }', 'B', 'mutation'],
    ['not clear, and one of them a mutation', 'query A { a } mutation B { b }', undefined, 'mutation'],
    ['a name that is not there, next to a mutation', 'query A { a } mutation B { b }', 'C', 'mutation'],
    ['not clear, among queries', 'query A { a } query B { b }', undefined, undefined],
    ['half-written', 'mutation { a', undefined, undefined],
    ['nothing', '', undefined, undefined],
  ])('%s', (_name, query, operationName, kind) => {
    expect(kindOf({ query, ...(operationName === undefined ? {} : { operationName }) })).toBe(kind)
  })
})
