import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { pagesIn } from '../testing/links.ts'

// Checks that no source and no page uses a word that docs/glossary.md lists as not used.

const root = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = [
  ...foldersIn('apps').map((folder) => `${folder}/src`),
  ...foldersIn('packages').map((folder) => `${folder}/src`),
  ...['bench', 'clients', 'docs', 'e2e', 'examples', 'testing', 'tools'],
]
const CHECKED = /\.(ts|tsx|mts|mjs|css|py)$/
/** Written by the code generator, with the names of the API, or installed or built. This file lists words as examples. */
const UNCHECKED = /(^|\/)(generated|node_modules|dist|build)\/|(^|\/)glossary\.test\.ts$/

/** The folders in a folder, with paths relative to the root. */
function foldersIn(folder: string): string[] {
  const entries = readdirSync(path.join(root, folder), { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => `${folder}/${name}`)
}

/** Pages that tools write or that quote the sentences of published codes, and the glossary, which lists the words themselves. */
const UNCHECKED_PAGES = ['request-spec.md', 'host-stats.md', 'third-party-licences.md', 'errors.md', 'glossary.md'].map(
  (page) => `docs/${page}`,
)
const PAGES = ['.', '.changeset', 'docs', ...['apps', 'clients', 'examples', 'packages'].flatMap(foldersIn)]
  .flatMap((folder) => pagesIn(root, folder, false))
  .filter((page) => !UNCHECKED_PAGES.includes(page) && path.basename(page) !== 'CHANGELOG.md')

interface Word {
  readonly word: string
  readonly instead: string
  readonly excepted: readonly string[]
}

/** The rows of the table under the heading "Words that are not used". */
function wordsOf(glossary: string): readonly Word[] {
  const [, section = ''] = glossary.split('## Words that are not used')
  const rows = section.split('\n').filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| word |'))
  return rows.map((row) => {
    const [, word = '', instead = '', excepted = ''] = row.split('|').map((cell) => cell.trim())
    return { word, instead, excepted: [...excepted.matchAll(/`([^`]+)`/g)].map(([, form = '']) => form) }
  })
}

/** Each use of a word of the list in a text, as `file:line: word (use: replacement)`. */
function foundIn(file: string, text: string, words: readonly Word[]): readonly string[] {
  return text.split('\n').flatMap((line, i) =>
    words.flatMap(({ word, instead, excepted }) => {
      const rest = excepted.reduce((left, form) => left.replaceAll(form, ''), line)
      return new RegExp(`(?<![A-Za-z])${word}(?![A-Za-z])`, 'i').test(rest) ? [`${file}:${i + 1}: "${word}" (use: ${instead})`] : []
    }),
  )
}

/** A page with the same lines, but without code blocks, names of the API, and names of tests in tables. */
const proseOf = (page: string): string =>
  page
    .replaceAll(/^ *```[\s\S]*?^ *```$/gm, (block) => block.replaceAll(/[^\n]/g, ''))
    .replaceAll(/`[^`\n]+\.test\.ts`: [^|\n]*/g, '')
    .replaceAll(/`[^`\n]+`/g, '')

const words = wordsOf(readFileSync(path.join(root, 'docs/glossary.md'), 'utf8'))

test('the glossary lists words that are not used', () => {
  expect(words.map(({ word }) => word)).toContain('told')
})

test('a use is reported with file, line, word and replacement', () => {
  const list = [{ word: 'told', instead: 'reported', excepted: ['told {'] }]
  expect(foundIn('a.ts', 'const x = 1\n// is Told\nquery { told { a } }\nconst retold = 2', list)).toEqual([
    'a.ts:2: "told" (use: reported)',
  ])
})

test('code blocks, names of the API and names of tests are not checked', () => {
  const page = 'a `told` b\n```sh\ntold\n```\n| x | `a.test.ts`: is told | told |\n   ```ts\n   told\n   ```\nTold'
  expect(foundIn('a.md', proseOf(page), [{ word: 'told', instead: 'reported', excepted: [] }])).toEqual([
    'a.md:5: "told" (use: reported)',
    'a.md:9: "told" (use: reported)',
  ])
})

test('no page uses a word of the list', () => {
  expect(PAGES.length).toBeGreaterThan(40)
  expect(PAGES.flatMap((page) => foundIn(page, proseOf(readFileSync(path.join(root, page), 'utf8')), words))).toEqual([])
})

test.each(FOLDERS)('%s uses no word of the list', (folder) => {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (file) => CHECKED.test(file) && !UNCHECKED.test(file),
  )
  expect(files.length).toBeGreaterThan(0)
  expect(files.flatMap((file) => foundIn(`${folder}/${file}`, readFileSync(path.join(root, folder, file), 'utf8'), words))).toEqual([])
})
