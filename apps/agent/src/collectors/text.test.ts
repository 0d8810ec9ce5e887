import { isPlain } from '@gantt/scheduler-core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { cutText, plainText, utf8 } from './text.ts'

test.each([
  ['two\n  lines\u2028\tand more ', 'two lines and more'],
  ['a\u0000b\u001b[31mc', 'a\\u{0}b\\u{1b}[31mc'],
  ['left\u202eright\u200b', 'left\\u{202e}right\\u{200b}'],
  ['half \ud83d', 'half \\u{d83d}'],
  ['filler \u3164, selector \ufe0f, blank \u2800', 'filler \\u{3164}, selector \\u{fe0f}, blank \\u{2800}'],
])('the invisible characters of %j are shown', (text, shown) => {
  expect(plainText(text)).toBe(shown)
})

/** Texts with many characters that the service refuses. */
const texts = fc.string({
  unit: fc.oneof(
    fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)),
    fc.constantFrom('\u200b', '\u202e', '\ufe0f', '\ud83d', '\u00ad', '😀'),
  ),
})

test('no text has characters that the service refuses after it was made plain and cut', () => {
  fc.assert(
    fc.property(texts, fc.integer({ min: 4, max: 30 }), (text, most) => {
      const cut = cutText(plainText(text), most)
      expect([cut.length <= most, isPlain(cut), plainText(plainText(text))]).toEqual([true, true, plainText(text)])
    }),
    { numRuns: byExtent(2_000, 50_000) },
  )
})

test('bytes that are not UTF-8 are an error, and no replacement character', () => {
  expect(utf8(Buffer.from('ä'))).toBe('ä')
  expect(() => utf8(Buffer.from([0x61, 0xff]))).toThrow('it is not UTF-8')
  expect(() => utf8(Buffer.from([0xed, 0xa0, 0x80]))).toThrow('it is not UTF-8')
})
