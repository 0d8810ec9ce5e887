import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/* Each row of each table says whether Nova's behaviour is the same here, and names a test that is there. */

const core = path.join(import.meta.dirname, '../../packages/scheduler-core/src')
const tables = readFileSync(path.join(import.meta.dirname, '../nova-differences.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
  .map((line) => line.slice(2, -2).split(' | '))
const rows = tables.filter(([first]) => first !== 'in Nova')

test('there are rows, in tables with one heading', () => {
  expect(rows.length).toBeGreaterThan(120)
  const headings = tables.filter(([first]) => first === 'in Nova')
  expect(new Set(headings.map((cells) => cells.join(' | ')))).toEqual(new Set(['in Nova | here | test']))
})

test('no behaviour has two rows', () => {
  expect(new Set(rows.map(([behaviour]) => behaviour)).size).toBe(rows.length)
})

test.each(rows.map((cells) => [cells[0], cells] as const))('%s', (_behaviour, cells) => {
  expect(cells).toHaveLength(3)
  const [, here, named] = cells
  expect(here).toMatch(/^(same|stricter|different)\b/)
  const [, file, words] = /^`([./\w-]+(?:\.test|-tables)\.ts)`: (.+)$/.exec(named ?? '') ?? []
  const text = readFileSync(path.join(core, String(file)), 'utf8')
  // a title of a row may have its quotes as the language writes them
  expect(text.replaceAll("\\'", "'")).toContain(words)
})
