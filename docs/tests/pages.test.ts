import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from '../../apps/server/src/config.ts'
import { settingsOf } from '../../apps/server/src/services/replica/settings.ts'
import { brokenLinks, linksOf, pagesIn } from '../testing/links.ts'

// Checks all pages: each is listed in docs/README.md, and its links have targets.

const root = fileURLToPath(new URL('../..', import.meta.url))
const pages = [
  ...pagesIn(root, '.', false),
  ...pagesIn(root, 'docs'),
  ...pagesIn(root, 'packages/client', false),
  ...pagesIn(root, 'clients/cases', false),
  ...pagesIn(root, '.github'),
  ...pagesIn(root, 'clients/python', false),
]
const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8')

test('the links and images of all pages lead to existing files and headings', () => {
  expect(pages.length).toBeGreaterThan(60)
  expect(brokenLinks(root, pages)).toEqual([])
})

test('pages whose names are written as code exist', () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`(docs\/[\w./-]+)`/g)].flatMap(([, file = '']) =>
      existsSync(path.join(root, file)) ? [] : [`${page}: ${file}`],
    ),
  )
  expect(missing).toEqual([])
})

test('docs/README.md lists every page of docs, and no page that does not exist', () => {
  const linked = linksOf(textOf('docs/README.md')).filter((link) => link.endsWith('.md'))
  const there = readdirSync(path.join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  expect([...new Set(linked)].toSorted()).toEqual(there.toSorted())
})

test('docs/settings.md has every setting that the service reads, with its default', () => {
  const rows = [...textOf('docs/settings.md').matchAll(/^\| (`[^|]*) \| .* \| (.*?) ?\|$/gm)]
  const listed = rows.flatMap(([, names = '', defaults = '']) => {
    const all = [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    const each = defaults.split(', ')
    return all.map((name, index) => [name, all.length === 1 ? defaults : each[index]] as const)
  })
  const settings = settingsOf({}, readConfig({}))
  expect(listed.map(([name]) => name).toSorted()).toEqual(settings.map(({ name }) => name).toSorted())
  const defaults = new Map(listed)
  const withDefault = settings.filter(
    ({ name, value }) => value !== undefined && name !== 'GANTT_FEATURE_LEVEL' && name !== 'GANTT_DATA_DIR',
  )
  expect(withDefault.map(({ name }) => [name, defaults.get(name)?.replaceAll('`', '')])).toEqual(
    withDefault.map(({ name, value }) => [name, value]),
  )
})

/** Labels that contain a number or a name, with the fixed part that the console's source contains. */
const composed: Readonly<Record<string, string>> = {
  'All of the last 1h': 'All of the last',
  'Choose all ... matching': 'Choose all ',
  'Draft from @N': 'Draft from @',
  'End its claims': 'End its ',
}

const withoutComments = (source: string): string => source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')

test('the console has every label that docs/console.md and docs/profiles.md quote', () => {
  const sources = readdirSync(path.join(root, 'apps/console/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|^generated/.test(name))
    .map((name) => withoutComments(readFileSync(path.join(root, 'apps/console/src', name), 'utf8')).toLowerCase())
  const quoted = ['docs/console.md', 'docs/profiles.md'].flatMap((page) =>
    Array.from(textOf(page).matchAll(/(?<![*\w])\*([A-Z][^*\n]+)\*(?!\*)/g), ([, label = '']) => label),
  )
  expect(quoted.length).toBeGreaterThan(40)
  const isSaid = (label: string): boolean => sources.some((text) => text.includes((composed[label] ?? label).toLowerCase()))
  expect([...new Set(quoted)].filter((label) => !isSaid(label))).toEqual([])
})

// Vitest runs the other files without a message if one of the files in its arguments does not exist
test('the files that npm scripts name exist', () => {
  const named = ['package.json', 'apps/server/package.json', 'apps/cli/package.json', 'apps/console/package.json'].flatMap((file) =>
    Array.from(textOf(file).matchAll(/(?<=[ "])(?:apps|packages|docs|tools)\/[\w./-]+\.(?:ts|mjs)\b/g), ([name]) => name),
  )
  expect(named).toContain('docs/tests/python-codes.test.ts')
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
})

test('CHANGELOG.md links to the list of changes of each package', () => {
  const lists = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .map((name) => `${folder}/${name}/CHANGELOG.md`)
      .filter((file) => existsSync(path.join(root, file))),
  )
  expect(lists.length).toBeGreaterThan(5)
  expect(linksOf(textOf('CHANGELOG.md'))).toEqual(expect.arrayContaining(lists))
})
