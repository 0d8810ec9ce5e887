import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkout } from '../testing/follow-page.ts'

// Compares docs/where-to-change.md with the files: each exists, and contains what the page says.

interface Row {
  readonly what: string
  readonly begin: string
  readonly rest: string
}

const page = readFileSync(new URL('../where-to-change.md', import.meta.url), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .slice(1)
  .map((line): Row => {
    const [, what = '', begin = '', rest = ''] = line.split(/ ?\| ?/)
    return { what, begin, rest }
  })

interface Named {
  readonly file: string
  readonly names: readonly string[]
}

/** The files that a cell of the page's table lists, each with the names that the file must contain. */
const namedIn = (cell: string): Named[] =>
  Array.from(cell.matchAll(/`((?:apps|packages|docs|bench|e2e)\/[\w./-]+)`(?: \(([^)]*)\))?/g), ([, file = '', has = '']) => ({
    file,
    names: Array.from(has.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
  }))

test('the page has a row for each task of a newcomer', () => {
  expect(rows.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'a filter',
      'a column of the hosts table, a field to filter and sort by',
      'the default TTL of reservations',
      'a metric',
      'a field of host reports',
      'the number of times that a call is decided again',
      'a flag of a command',
      'the message of NoValidHost',
      'a reason code',
      'a query of the API',
    ]),
  )
})

test.each(rows)('$what: the files exist, and contain what the page names', ({ begin, rest }) => {
  expect(namedIn(begin).length).toBeGreaterThan(0)
  for (const { file, names } of [...namedIn(begin), ...namedIn(rest)]) {
    expect(existsSync(path.join(checkout, file)), file).toBe(true)
    if (statSync(path.join(checkout, file)).isDirectory()) continue
    const text = readFileSync(path.join(checkout, file), 'utf8')
    for (const name of names) expect(text.includes(name), `${file} has ${name}`).toBe(true)
  }
})

/** The sources of the product, without built files, generated files and tests. */
const sources = ['apps', 'packages'].flatMap((folder) =>
  readdirSync(path.join(checkout, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'proofs')
    .flatMap(({ name }) =>
      readdirSync(path.join(checkout, folder, name, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/\.(test|suite)\.|^generated\/|\/testing\//.test(file))
        .map((file) => `${folder}/${name}/src/${file}`),
    ),
)

const defaults = rows.flatMap(({ begin }) => namedIn(begin)).flatMap(({ names }) => names.filter((name) => /^[A-Z_]+$/.test(name)))

test.each(defaults)('%s is declared in one place', (name) => {
  const declares = new RegExp(`\\b(const|let) ${name}\\b`)
  expect(sources.filter((file) => declares.test(readFileSync(path.join(checkout, file), 'utf8')))).toHaveLength(1)
})

test('the default TTL of reservations is written in one source only', () => {
  const mentions = sources.filter((file) => /PT2M (if|by)|for two minutes|\bTTL = '/i.test(readFileSync(path.join(checkout, file), 'utf8')))
  // the demo deliberately reserves resources for five minutes or less
  expect(mentions.filter((file) => !file.startsWith('apps/cli/src/commands/demo/'))).toEqual([])
})
