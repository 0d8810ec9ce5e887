import fc from 'fast-check'
import { expect, test } from 'vitest'
import { code, heading, inert, link, paragraph, toMarkdownList, toMarkdownTable, toPage } from './markdown.ts'

test.each<[string, string, string]>([
  ['a bar does not end a cell', 'a|b', 'a\\|b'],
  ['backticks open no code', '`rm`', '\\`rm\\`'],
  ['HTML is text', '<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)&gt;'],
  ['an entity is text', '&lt;', '&amp;lt;'],
  ['a line break is a space', 'a\r\n\n| b', 'a \\| b'],
  ['a link is text', '[x](http://y)', '\\[x\\](http://y)'],
  ['a backslash stays one', 'a\\|b', 'a\\\\\\|b'],
  ['an underscore inside a name stays as it is', 'image_property _x_', 'image_property \\_x\\_'],
  ['a text between tildes is not struck through', '~~x~~', '\\~\\~x\\~\\~'],
  ['control characters and marks of direction are spaces', 'a\u0007b\u202ec', 'a b c'],
])('%s', (_name, text, shown) => expect(inert(text)).toBe(shown))

test.each([
  ['# x', '\\# x'],
  ['- x', '\\- x'],
  ['+ x', '\\+ x'],
  ['1. x', '1\\. x'],
  ['2) x', '2\\) x'],
  ['> x', '&gt; x'],
  ['== x', '\\== x'],
  ['4 hosts', '4 hosts'],
])('a paragraph that begins with %s does not become a list, quote or heading', (text, shown) => {
  expect(paragraph(text)).toBe(shown)
  expect(toMarkdownList([text])).toEqual([`- ${shown}`])
})

test.each([
  ['gantt explain d1', '`gantt explain d1`'],
  ['a`b', '``a`b``'],
  ['`', '`` ` ``'],
  ['', ''],
])('code of %s is one code span', (text, shown) => expect(code(text)).toBe(shown))

test.each([
  ['http://h/decisions/a b', '[d](http://h/decisions/a%20b)'],
  ['http://h/x?q=a%20b', '[d](http://h/x?q=a%20b)'],
  ['http://h/)[x](y', '[d](http://h/%29%5Bx%5D%28y)'],
  ['javascript:alert(1)', 'd'],
])('a link to %s is one link, or plain text if it is not http', (address, shown) => expect(link('d', address)).toBe(shown))

test('a table has a line for its headings, one for the alignment, and one for each row', () => {
  const columns = [{ head: 'filter' }, { head: 'after', align: 'right' as const }]
  expect(toMarkdownTable(columns, [['RamFilter', '0'], ['a|b']])).toEqual([
    '| filter | after |',
    '| --- | --: |',
    '| RamFilter | 0 |',
    '| a\\|b |  |',
  ])
})

test('for any content, a table has the same count of lines and cells', () => {
  const cell = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('|', '\\', '`', '\n', '<', '_', ' ') }))
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
      const lines = toMarkdownTable([{ head: 'a' }, { head: 'b' }], rows)
      expect(lines).toHaveLength(rows.length + 2)
      for (const line of lines) {
        expect(line).not.toMatch(/[\r\n<>]/)
        // The bars that are not escaped separate the cells of the table.
        expect(line.replace(/\\[\\`*[\]|~_]/g, '').split('|')).toHaveLength(4)
      }
    }),
  )
})

test('a page omits empty parts', () => {
  expect(toPage(heading('T'), '', [], ['a', 'b'])).toEqual(['### T', '', 'a', 'b'])
})
