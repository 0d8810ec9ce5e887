import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { sourceFiles, tooLarge } from '../../tools/checks/sizes.mjs'
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
  Array.from(
    cell.matchAll(/`((?:apps|bench|clients|docs|e2e|examples|packages|tools)\/[\w./-]+)`(?: \(([^)]*)\))?/g),
    ([, file = '', has = '']) => ({
      file,
      names: Array.from(has.matchAll(/`([^`]+)`/g), ([, name = '']) => name),
    }),
  )

test('the page has a row for each task of a newcomer', () => {
  expect(rows.map(({ what }) => what)).toEqual(
    expect.arrayContaining([
      'a filter',
      'a column of the hosts table, a field to filter and sort by',
      'the default TTL of reservations',
      'a metric',
      'a field of host reports',
      'the number of times that a call is decided again',
      'how long a client repeats a call',
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
    const text = textOf(file)
    for (const name of names) expect(text.includes(name), `${file} has ${name}`).toBe(true)
  }
})

/** The folders to which a filter, a weigher, or a family of remedies is added. */
const growing = ['filters', 'weighers', 'nova/filters', 'nova/weighers', 'what-if/would-fit/remedies'].map(
  (name) => `packages/scheduler-core/src/${name}`,
)

const allSources = sourceFiles()

test.each(growing)('%s has room for a new file and its test', (folder) => {
  const present = allSources.filter(({ file }) => path.posix.dirname(file) === folder)
  expect(present.length).toBeGreaterThan(0)
  const added = ['added.ts', 'added.test.ts'].map((name) => ({ file: `${folder}/${name}`, text: '' }))
  expect(tooLarge([...present, ...added])).toEqual([])
})

test('each path in a cell is checked', () => {
  const paths = rows.flatMap(({ begin, rest }) => Array.from(`${begin} ${rest}`.matchAll(/`([\w.-]+\/[\w./-]+)`/g), ([, file]) => file))
  expect(paths).toEqual(rows.flatMap(({ begin, rest }) => [...namedIn(begin), ...namedIn(rest)].map(({ file }) => file)))
})

/** The sources of the packages, without built files, generated files and tests. */
const packages = ['apps', 'packages'].flatMap((folder) =>
  readdirSync(path.join(checkout, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'proofs')
    .flatMap(({ name }) =>
      readdirSync(path.join(checkout, folder, name, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/\.(test|suite)\.|^generated\/|\/testing\//.test(file))
        .map((file) => `${folder}/${name}/src/${file}`),
    ),
)

/** The sources of the clients in other languages, without their tests. */
const clients = readdirSync(path.join(checkout, 'clients'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.py') && !/(^|\/)(tests|build|dist|debian)\//.test(file))
  .map((file) => `clients/${file}`)

const sources = [...packages, ...clients]
const textOf = (file: string): string => readFileSync(path.join(checkout, file), 'utf8')

const defaults = rows.flatMap(({ begin }) => namedIn(begin)).flatMap(({ names }) => names.filter((name) => /^[A-Z_]+$/.test(name)))

test.each(defaults)('%s is declared in one place', (name) => {
  const declares = new RegExp(`\\b(const|let) ${name}\\b`)
  expect(packages.filter((file) => declares.test(textOf(file)))).toHaveLength(1)
})

test('the default TTL of reservations is written in one source only', () => {
  expect(clients).toContain('clients/python/ganttclient/scheduler.py')
  const mentions = sources.filter((file) => /PT2M (if|by)|for two minutes|\bTTL = ['"]/i.test(textOf(file)))
  // the demo deliberately reserves resources for five minutes or less
  expect(mentions.filter((file) => !file.startsWith('apps/cli/src/commands/demo/'))).toEqual([])
})

/** The number after a text in a file. */
function numberAfter(file: string, text: string): number {
  const [, rest] = textOf(file).split(text)
  expect(rest, `${file} has ${text}`).toBeDefined()
  return Number.parseFloat(rest?.replaceAll(/[_,]/g, '') ?? '')
}

test.each([
  ['all attempts of a call', 'DEADLINE', '`deadlineMs` (', '`deadline` (', 'including pauses. The default is '],
  ['one attempt', 'ATTEMPT', '`attemptMs` (', '`attempt_timeout` (', 'until the deadline. The default is '],
])('the time limit of %s is the same in all clients and their documents', (_what, name, ofPackage, ofPython, comment) => {
  const seconds = numberAfter('packages/client/src/retry.ts', `const ${name}_MS = `) / 1_000
  expect(seconds).toBeGreaterThan(1)
  expect(numberAfter('clients/python/ganttclient/_retry.py', `\n${name} = `)).toBe(seconds)
  expect(numberAfter('packages/client/src/retry.ts', comment) / 1_000).toBe(seconds)
  expect(numberAfter('packages/client/README.md', ofPackage)).toBe(seconds)
  expect(numberAfter('docs/python-client.md', ofPython)).toBe(seconds)
})
