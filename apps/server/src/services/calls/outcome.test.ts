import { expect, test } from 'vitest'
import { InputFault, invalid, issue } from './outcome.ts'

const wrong = Array.from({ length: 60_000 }, (_, i) => issue(['input', 'keys', String(i)], '', 'be given once'))

test('a long list of wrong values is answered with the first problems and the count of all', () => {
  const { issues, issueCount, message } = invalid(wrong)
  expect([issues.length, issueCount]).toEqual([100, 60_000])
  expect(message).toBe('input.keys.0 is ""; it must be given once (and 59999 more)')
  expect(new InputFault(wrong).issues).toHaveLength(100)
})
