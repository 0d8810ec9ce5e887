import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

/* Each row that names a test has one: the words behind the file stand in it. */

const core = path.join(import.meta.dirname, '../packages/scheduler-core/src')
const rows = readFileSync(path.join(import.meta.dirname, 'nova-differences.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const cells = line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, ''))
    const [, file, words] = /^`([./\w-]+\.test\.ts)`: (.+)$/.exec(cells.at(-1) ?? '') ?? []
    return file === undefined || words === undefined ? [] : [{ cells, file, words }]
  })

test('there are rows with tests', () => expect(rows.length).toBeGreaterThan(35))

test.each(rows.map((row) => [row.words, row] as const))('%s', (_words, { cells, file, words }) => {
  expect(cells).toHaveLength(3)
  expect(cells[1]).toMatch(/same|stricter|different|verdict ERROR/)
  const text = readFileSync(path.join(core, file), 'utf8')
  // a title of a row may have its quotes as the language writes them
  expect(text.replaceAll("\\'", "'")).toContain(words)
})
