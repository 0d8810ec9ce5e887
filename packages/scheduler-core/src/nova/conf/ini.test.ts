import { expect, test } from 'vitest'
import { readIni } from './ini.ts'

const one = (value: string, line = 2) => [{ section: 'a', name: 'x', value, line }]

test.each<[string, string, readonly object[]]>([
  ['an equals sign', '[a]\nx = 1', one('1')],
  ['a colon', '[a]\nx: 1', one('1')],
  ['the first of the two separators ends the name', '[a]\nx = http://b', one('http://b')],
  ['no blanks around the separator', '[a]\nx=1', one('1')],
  ['an empty value', '[a]\nx =', one('')],
  ['quotes around a value are removed', '[a]\nx = "a, b"', one('a, b')],
  ['quotes that do not match are kept', '[a]\nx = "a\'', one('"a\'')],
  ['comments', '# c\n; c\n[a]\n#y=2\nx = 1 # no comment', [{ section: 'a', name: 'x', value: '1 # no comment', line: 5 }]],
  ['a line that starts with a blank continues the value', '[a]\nx = b,\n  c,\n\td', one('b,\nc,\nd')],
  ['a value ends at an empty line', '[a]\nx = b,\n  c\n\n[d]', one('b,\nc')],
  ['a section and an option that occur twice', '[a]\nx=1\n[b]\n[a]\nx=2', [...one('1'), ...one('2', 5)]],
  ['line endings of other systems', '\uFEFF[a]\r\nx = 1\r\n', one('1')],
  ['nothing', '', []],
])('%s', (_what, text, settings) => expect(readIni(text)).toEqual({ settings, faults: [] }))

test.each<[string, string, number, string]>([
  ['a line without a separator', '[a]\nenabled_filters', 2, '[SECTION], NAME = VALUE or a comment'],
  ['a value without a name', '[a]\n= 1', 2, 'NAME = VALUE'],
  ['a bracket that is not closed', '[a\nx = 1', 1, '[NAME]'],
  ['a section without a name', '[]', 1, '[NAME]'],
  ['an option before any section', 'x = 1', 1, 'before the first [SECTION]'],
  ['a line that starts with a blank before the first value', '[a]\n x = 1', 2, 'no value before it'],
  ['a line that starts with a blank after an empty line', '[a]\nx = 1\n\n y = 2', 4, 'no value before it'],
])('%s is refused with its line', (_what, text, line, message) => {
  expect(readIni(text).faults).toEqual([{ line, message: expect.stringContaining(message) }])
})

test('every wrong line of a file is reported', () => expect(readIni('x\n[a\n y').faults.map(({ line }) => line)).toEqual([1, 2, 3]))
