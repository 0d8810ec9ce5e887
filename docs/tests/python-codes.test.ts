import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

// Checks that the Python client knows every code of the service: that each has a class, and the remedy that docs/errors.md has for it.
// `npm run docs:reference` writes the remedies.

const textOf = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
const page = textOf('docs/errors.md')

/** The sections of the page with codes that answers to calls contain. The others are about the service itself. */
const SECTIONS = ['Why a host was refused', 'Why a change in the log does not count', 'What is wrong with an input', 'Faults']

const rowsOf = (heading: string): readonly (readonly [code: string, remedy: string])[] => {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  return section
    .split('\n## ')[0]
    ?.split('\n')
    .flatMap((line) => {
      const [, code = '', remedy = ''] = /^\| `([^`]+)` \|.*\| ([^|]+) \|$/.exec(line) ?? []
      return code === '' ? [] : [[code, withoutLinks(remedy)] as const]
    }) as readonly (readonly [string, string])[]
}

/** The text of links, without their targets. */
const withoutLinks = (text: string): string => text.replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')

test('the remedies of the Python client are those of docs/errors.md', async () => {
  const remedies = SECTIONS.map(rowsOf)
  for (const [at, rows] of remedies.entries()) expect(rows.length, SECTIONS[at]).toBeGreaterThan(10)
  const file = fileURLToPath(new URL('../../clients/python/ganttclient/remedies.json', import.meta.url))
  await expect(`${JSON.stringify(Object.fromEntries(remedies.flat()), null, 2)}\n`).toMatchFileSnapshot(file)
})

test('the Python client has one exception class for each code of an answer, and for no other code', () => {
  const [, values = ''] = /\nenum ErrorCode \{([^}]+)\}/.exec(textOf('apps/server/schema.graphql')) ?? []
  const codes = new Set([...values.trim().split(/\s+/), ...rowsOf('Faults').map(([code]) => code)])
  expect(codes.size).toBeGreaterThan(20)
  const classes = ['exceptions.py', 'faults.py'].flatMap((name) =>
    [...textOf(`clients/python/ganttclient/${name}`).matchAll(/^ {4}code = "(\w+)"$/gm)].map(([, code = '']) => code),
  )
  expect(classes.toSorted()).toEqual([...codes].toSorted())
})
