import { expect, test } from 'vitest'
import { readOverviewSearch } from './search.ts'

const since = '2026-11-22T09:00:00.000Z'
const until = '2026-11-22T09:05:00.000Z'

test.each([
  [{ last: '24h' }, { last: '24h' }],
  [{ last: '1h' }, {}],
  [{ last: '2h' }, {}],
  [
    { since, until },
    { since, until },
  ],
  [
    { last: '6h', since, until },
    { last: '6h', since, until },
  ],
  [{ since }, {}],
  [{ until }, {}],
  [{ since: until, until: since }, {}],
  [{ since: 'yesterday', until }, {}],
  [{ since: '2026-13-22T09:00:00Z', until }, {}],
])('%j is read as %j', (said, search) => {
  expect(readOverviewSearch(said)).toEqual(search)
})
