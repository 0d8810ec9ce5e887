import { isPlain } from '@gantt/scheduler-core'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownJson, shownLine } from './escape.ts'
import { toPairs, toTable } from './table.ts'

const bad = 'cmp\u001b[2J\u202e1\u009b2J\n\rx'
const zeroWidth = 'a\u200b\u{e0061}b'

test.each([
  ['plain text is unchanged', 'cmp-1 Zürich 東京 😀', 'cmp-1 Zürich 東京 😀'],
  ['line breaks and bold text are unchanged', '\u001b[1mHOST\u001b[22m\nh1', '\u001b[1mHOST\u001b[22m\nh1'],
  ['the sequence that overwrites a line is unchanged', '\r\u001b[K3 of 4', '\r\u001b[K3 of 4'],
  ['other sequences of a terminal are escaped', 'a\u001b[2Jb\u001b]0;title\u0007', 'a\\u{1b}[2Jb\\u{1b}]0;title\\u{7}'],
  ['a carriage return is escaped', 'good\rbad', 'good\\u{d}bad'],
  ['a change of the text direction is escaped', 'a\u202eb', 'a\\u{202e}b'],
  ['a zero-width space is escaped', 'a\u200bb', 'a\\u{200b}b'],
  ['a colour is escaped', '\u001b[31mred', '\\u{1b}[31mred'],
])('in a printed line, %s', (_name, line, shown) => expect(shownLine(line)).toBe(shown))

test('invisible characters and line breaks in a cell are escaped, and add no rows to the table', () => {
  const lines = toTable(
    [{ head: 'host' }, { head: 'zone' }],
    [
      [bad, 'z1'],
      ['h2', bad],
    ],
    { columns: 200, isTerminal: false },
  )
  expect(lines).toHaveLength(3)
  expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  expect(lines[1]).toContain('cmp\\u{1b}[2J\\u{202e}1\\u{9b}2J\\u{a}\\u{d}x')
})

test('a list of names and values escapes invisible characters', () => {
  expect(toPairs([['name', 'a\u202eb']])).toEqual(['name  a\\u{202e}b'])
})

test('printed JSON has the same meaning and contains no invisible characters', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (value) => {
      const text = shownJson({ value, bad, zeroWidth })
      expect(JSON.parse(text)).toEqual({ value, bad, zeroWidth })
      expect(isPlain(text)).toBe(true)
    }),
  )
})
