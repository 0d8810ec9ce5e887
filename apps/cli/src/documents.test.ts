import fs from 'node:fs'
import path from 'node:path'
import { buildSchema, type FragmentDefinitionNode, Kind, parse, print, validate } from 'graphql'
import { expect, test } from 'vitest'

// These tests check that every GraphQL document of the command line is valid for the published schema. The compiler checks variables and
// the use of answers, and these tests check the fields. They read the sources without importing the command line.

const folder = import.meta.dirname
const files = fs
  .readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
const textOf = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8')
const schema = buildSchema(fs.readFileSync(path.join(folder, '../../server/schema.graphql'), 'utf8'))

interface Found {
  readonly file: string
  readonly text: string
  /** The names of the fragment constants that are passed to the document. */
  readonly given: readonly string[]
}

const documents: readonly Found[] = files.flatMap((file) =>
  [...textOf(file).matchAll(/\bgraphql\(\s*`([^`]*)`,?\s*(?:\[([^\]]*)\])?/g)].map(([, text = '', given = '']) => ({
    ...{ file, text },
    given: given.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()])),
  })),
)
const fragments: readonly FragmentDefinitionNode[] = documents.flatMap(({ text }) =>
  parse(text).definitions.flatMap((definition) => (definition.kind === Kind.FRAGMENT_DEFINITION ? [definition] : [])),
)
const spreadsOf = (text: string): readonly string[] => [...new Set([...text.matchAll(/\.\.\.([A-Z]\w*)/g)].map(([, name = '']) => name))]

/** An operation with the fragments that it uses, as the client sends it. */
function whole(text: string, names = new Set<string>()): string {
  const added = spreadsOf(text).filter((name) => !names.has(name))
  for (const name of added) names.add(name)
  const texts = added.flatMap((name) => fragments.filter((one) => one.name.value === name).map((one) => print(one)))
  return [text, ...texts.map((one) => whole(one, names))].join('\n')
}

test('every operation is valid for the published schema', () => {
  const operations = documents.filter(({ text }) => !text.trim().startsWith('fragment'))
  expect(operations.length).toBeGreaterThan(60)
  const problems = operations.flatMap(({ file, text }) =>
    validate(schema, parse(whole(text))).map(({ message }) => `${path.basename(file)}: ${message}`),
  )
  expect(problems).toEqual([])
})

test('fragment names are unique, and every document gets the fragments that it spreads', () => {
  const names = fragments.map(({ name }) => name.value)
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([])
  const without = documents.filter(({ text, given }) => spreadsOf(text).length !== given.length)
  expect(without.map(({ file, text }) => `${file}: ${text.trim().split('\n')[0]}`)).toEqual([])
})

test('an unknown field and an unknown variable are reported', () => {
  const wrong = parse('query Wrong($first: Text) { hosts(first: $first) { nodes { colour } } }')
  expect(validate(schema, wrong).map(({ message }) => message)).toEqual([
    'Unknown type "Text".',
    'Cannot query field "colour" on type "Host".',
  ])
})

test('no file has an operation as an untyped string', () => {
  const isPlain = (text: string): boolean => /(?<!graphql\(\s*)(['`])\s*(?:query|mutation|subscription)\b[^'`]*\{/.test(text)
  expect(isPlain('const A = `query A { hosts { totalCount } }`')).toBe(true)
  expect(files.filter((file) => !file.includes('testing/') && isPlain(textOf(file)))).toEqual([])
})
