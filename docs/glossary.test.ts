import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// Words that docs/glossary.md lists as not used are in none of the folders that were rewritten.

const root = fileURLToPath(new URL('..', import.meta.url))
const FOLDERS = ['apps/console/src', 'e2e']
const CHECKED = /\.(ts|tsx|css)$/
/** Written by the code generator, with the names of the API. */
const GENERATED = /(^|\/)generated\//

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

test.each(FOLDERS)('%s uses none of them', (folder) => {
  const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).filter(
    (file) => CHECKED.test(file) && !GENERATED.test(file),
  )
  expect(files.length).toBeGreaterThan(10)
  expect(files.flatMap((file) => foundIn(`${folder}/${file}`, readFileSync(path.join(root, folder, file), 'utf8'), words))).toEqual([])
})
