import { expect, test } from 'vitest'
import { quote } from './problem.ts'
import { isStorable, shorten, toStorable } from './storable.ts'

test.each([
  ['words', 'words'],
  ['a whole pair 😀', 'a whole pair 😀'],
  ['NUL \u0000', 'NUL \ufffd'],
  ['half \ud83d a pair', 'half \ufffd a pair'],
  ['the other half \ude00', 'the other half \ufffd'],
])('%j is kept as far as it can be', (text, kept) => {
  expect(toStorable(text)).toBe(kept)
  expect([isStorable(text), isStorable(kept)]).toEqual([text === kept, true])
})

test('what is shortened is no longer than allowed, and no pair is halved', () => {
  expect(shorten('abcd', 4)).toBe('abcd')
  expect(shorten('abcdefgh', 6)).toBe('abc...')
  expect(shorten('ab😀defgh', 6)).toBe('ab\ufffd...')
  expect(isStorable(quote(`${'d'.repeat(75)}😀😀`))).toBe(true)
})
