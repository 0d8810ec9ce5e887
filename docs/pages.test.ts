import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readConfig } from '../apps/server/src/config.ts'
import { settingsOf } from '../apps/server/src/services/settings.ts'
import { brokenLinks, linksOf, pagesIn } from './testing/links.ts'

// What holds for pages in general: each is found in docs/README.md, and links lead somewhere.

const root = fileURLToPath(new URL('..', import.meta.url))
const pages = [
  ...pagesIn(root, '.', false),
  ...pagesIn(root, 'docs'),
  ...pagesIn(root, 'packages/client', false),
  ...pagesIn(root, '.github'),
]
const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8')

test('links and images of all pages lead to files and headings that are there', () => {
  expect(pages.length).toBeGreaterThan(60)
  expect(brokenLinks(root, pages)).toEqual([])
})

test('pages that are named as code are there', () => {
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`(docs\/[\w./-]+)`/g)].flatMap(([, file = '']) =>
      existsSync(path.join(root, file)) ? [] : [`${page}: ${file}`],
    ),
  )
  expect(missing).toEqual([])
})

test('docs/README.md lists every page of docs, and none that is gone', () => {
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
