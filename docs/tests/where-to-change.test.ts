import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checkout } from '../testing/follow-page.ts'

// Holds docs/where-to-change.md to the files: each is there, and has what the page says it has.

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

/** The files that a cell names, each with what it is said to have. */
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
      'how often a call is decided again',
      'a flag of a command',
      'what NoValidHost says',
      'a reason code',
      'a query of the API',
    ]),
  )
})

test.each(rows)('$what: the files are there, and have what they are named for', ({ begin, rest }) => {
  expect(namedIn(begin).length).toBeGreaterThan(0)
  for (const { file, names } of [...namedIn(begin), ...namedIn(rest)]) {
    expect(existsSync(path.join(checkout, file)), file).toBe(true)
    if (statSync(path.join(checkout, file)).isDirectory()) continue
    const text = readFileSync(path.join(checkout, file), 'utf8')
    for (const name of names) expect(text.includes(name), `${file} has ${name}`).toBe(true)
  }
})

/** Sources of the product: what is built, generated or a test is left out. */
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

test.each(defaults)('%s is one thing', (name) => {
  const declares = new RegExp(`\\b(const|let) ${name}\\b`)
  expect(sources.filter((file) => declares.test(readFileSync(path.join(checkout, file), 'utf8')))).toHaveLength(1)
})

test('the default TTL of reservations is written in no other source', () => {
  const mentions = sources.filter((file) => /PT2M (if|by)|for two minutes|\bTTL = '/i.test(readFileSync(path.join(checkout, file), 'utf8')))
  // the demo holds room for five minutes, and less, on purpose
  expect(mentions.filter((file) => !file.startsWith('apps/cli/src/commands/demo/'))).toEqual([])
})
