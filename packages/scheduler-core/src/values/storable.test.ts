import { expect, test } from 'vitest'
import { quote } from '../text/problem.ts'
import { isStorable, shorten, toStorable } from './storable.ts'

test.each([
  ['words', 'words'],
  ['a whole pair 😀', 'a whole pair 😀'],
  ['NUL \u0000', 'NUL \ufffd'],
  ['half \ud83d a pair', 'half \ufffd a pair'],
  ['the other half \ude00', 'the other half \ufffd'],
])('the storable form of %j is %j', (text, kept) => {
  expect(toStorable(text)).toBe(kept)
  expect([isStorable(text), isStorable(kept)]).toEqual([text === kept, true])
})

test('a shortened text has at most the allowed length and no half of a surrogate pair', () => {
  expect(shorten('abcd', 4)).toBe('abcd')
  expect(shorten('abcdefgh', 6)).toBe('abc...')
  expect(shorten('ab😀defgh', 6)).toBe('ab\ufffd...')
  expect(isStorable(quote(`${'d'.repeat(75)}😀😀`))).toBe(true)
})
