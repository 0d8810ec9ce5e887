import { expect, test } from 'vitest'
import { widthOf } from '../testing/gantt.ts'
import { shorten, toPairs, toTable, wrap } from './table.ts'

const LONG = 'compute-0001.rack7.zone-of-many-words.region.example.org-and-more-of-it'

test('a table is no wider than its contents', () => {
  expect(toTable([{ head: 'name' }, { head: 'count', align: 'right' }], [['a', '1']])).toEqual(['NAME  COUNT', 'a         1'])
})

test('columns that may be truncated shrink, the widest first, until the row fits 80 columns', () => {
  const columns = [{ head: 'a', cut: 'middle' }, { head: 'id' }, { head: 'b', cut: 'end' }] as const
  const lines = toTable(columns, [[LONG, 'x'.repeat(36), 'short text']])
  expect(widthOf(lines.join('\n'))).toBe(80)
  expect(lines[1]).toMatch(/^compute-0001\.\S*…\S*of-it x{36} short text$/)
})

const KEY = [{ head: 'name', cut: 'middle', key: true }, { head: 'id' }, { head: 'note', cut: 'end' }] as const
const ROW = ['n'.repeat(40), 'x'.repeat(36), 'something less important']

test.each([
  ['in a pipe, keys are not truncated', { columns: 80, isTerminal: false }, `${ROW[0]} ${ROW[1]} somethi…`],
  ['on a terminal, keys are truncated last', { columns: 80, isTerminal: true }, `${'n'.repeat(17)}…${'n'.repeat(16)} ${ROW[1]} somethi…`],
  ['a table can be as wide as the terminal', { columns: 120, isTerminal: true }, ROW.join('  ')],
])('%s', (_name, screen, line) => {
  expect(toTable(KEY, [ROW], screen)[1]).toBe(line)
})

test('columns move closer together before a cell is truncated, but not before a cell is continued on a further line', () => {
  const cells = ['a'.repeat(39), 'b'.repeat(40)]
  expect(toTable([{ head: 'a', cut: 'end' }, { head: 'b' }], [cells])[1]).toBe(cells.join(' '))
  expect(toTable([{ head: 'a', wraps: true }, { head: 'b' }], [cells])[1]).toBe([cells[0]?.slice(1), cells[1]].join('  '))
})

test('a wrapped cell continues on further lines and loses no text', () => {
  const lines = toTable([{ head: 'host' }, { head: 'why', wraps: true }], [['h1', `the request names ${LONG} ${LONG} only`]])
  expect(widthOf(lines.join('\n'))).toBeLessThanOrEqual(80)
  expect(lines.slice(1).join('').replaceAll(/\s/g, '')).toBe(`h1therequestnames${LONG}${LONG}only`)
})

test('a text is truncated at its end or in its middle', () => {
  expect([shorten('abcdef', 6, 'end'), shorten('abcdef', 4, 'end'), shorten('abcdef', 4, 'middle')]).toEqual(['abcdef', 'abc…', 'ab…f'])
})

test('a long text is broken into lines at spaces, and names and values are in two columns', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three'])
  expect(
    toPairs([
      ['a', '1'],
      ['long', '2'],
    ]),
  ).toEqual(['a     1', 'long  2'])
})
