import { claimFields, parseQuery } from '@gantt/scheduler-core/query'
import { expect, test } from 'vitest'
import { agedQuery, ageQueries, ageText } from './ages.ts'

test('the bars of a filter cover all ages, without gaps or overlaps', () => {
  const lines = Object.values(ageQueries('state:RESERVED age>=5m'))
  expect(lines).toHaveLength(8)
  for (const line of lines) expect(parseQuery(line, claimFields).problems).toEqual([])
  expect(lines[0]).toBe('state:RESERVED age<10s')
  expect(lines.at(-1)).toBe('state:RESERVED age>=3d')
  const ends = lines.map((line) => /age<(\S+)/.exec(line)?.[1])
  expect(lines.map((line) => /age>=(\S+)/.exec(line)?.[1])).toEqual([undefined, ...ends.slice(0, -1)])
})

test.each([
  [0, 0, 'age<10s', 'younger than 10 s'],
  [1, 2, 'age>=10s age<5m', '10 s to 5 min'],
  [6, 7, 'age>=12h', '12 h or older'],
  [0, 7, '', 'of any age'],
])('the bars %i to %i have one filter and one text', (first, last, q, text) => {
  expect([agedQuery('', first, last), ageText(first, last)]).toEqual([q, text])
})
