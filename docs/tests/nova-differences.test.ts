import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/* Checks that each row of each table says whether Nova's behaviour is the same here, and names an existing test. */

const core = path.join(import.meta.dirname, '../../packages/scheduler-core/src')
const tables = readFileSync(path.join(import.meta.dirname, '../nova-differences.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
  .map((line) => line.slice(2, -2).split(' | '))
const rows = tables.filter(([first]) => first !== 'in Nova')

test('all tables have the same heading, and together many rows', () => {
  expect(rows.length).toBeGreaterThan(120)
  const headings = tables.filter(([first]) => first === 'in Nova')
  expect(new Set(headings.map((cells) => cells.join(' | ')))).toEqual(new Set(['in Nova | here | test']))
})

test('each behaviour has one row', () => {
  expect(new Set(rows.map(([behaviour]) => behaviour)).size).toBe(rows.length)
})

test.each(rows.map((cells) => [cells[0], cells] as const))('%s', (_behaviour, cells) => {
  expect(cells).toHaveLength(3)
  const [, here, named] = cells
  expect(here).toMatch(/^(same|stricter|different)\b/)
  const [, file, words] = /^`([./\w-]+(?:\.test|-tables)\.ts)`: (.+)$/.exec(named ?? '') ?? []
  const text = readFileSync(path.join(core, String(file)), 'utf8')
  // the name of a row may contain escaped quotes in the source
  expect(text.replaceAll("\\'", "'")).toContain(words)
})
