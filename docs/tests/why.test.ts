import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const page = readFileSync(new URL('../why.md', import.meta.url), 'utf8')
const rows = page.split('\n').flatMap((line) => {
  const [, ask, , answered = '', by = '', proof = ''] = /^\| (\d+) \|(.*?)\|(.*?)\|(.*?)\|(.*)\|$/.exec(line) ?? []
  return ask === undefined ? [] : [{ ask: Number(ask), answered: answered.trim(), by: by.trim(), proof: proof.trim() }]
})

test('every request of the list has a row, in order', () =>
  expect(rows.map(({ ask }) => ask)).toEqual(Array.from({ length: 26 }, (_, i) => i + 1)))

test.each(rows)('request $ask is answered, partly answered, or not; existing tests prove each answer', ({ answered, by, proof }) => {
  expect(answered).toMatch(/^(yes|in part|no)\b/)
  if (/^(in part|no)/.test(answered)) expect(answered, 'what is missing').toMatch(/: ./)
  const tests = [...proof.matchAll(/`([^`]+)`: "([^"]+)"/g)].map(([, path = '', name = '']) => ({ path, name }))
  if (answered.startsWith('no')) return expect(tests).toEqual([])
  expect(by + proof).not.toBe('')
  expect(tests).not.toEqual([])
  for (const { path, name } of tests) {
    const file = new URL(`../../${path}`, import.meta.url)
    expect({ path, isThere: existsSync(file) }).toEqual({ path, isThere: true })
    const code = readFileSync(file, 'utf8')
    expect({ name, isIn: code.includes(`'${name}'`) || code.includes(`"${name}"`) ? path : null }).toEqual({ name, isIn: path })
  }
})

// the page may only name fields that the schema has
const schema = readFileSync(new URL('../../apps/server/schema.graphql', import.meta.url), 'utf8')
const fields = new Set([...schema.matchAll(/^ +(\w+)(?:\(|:)/gm)].map(([, name = '']) => name))

test.each(rows)('the fields that answer request $ask are in the schema', ({ by }) => {
  const queries = [...by.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text).filter((text) => text.includes('{'))
  const named = queries.flatMap((query) => query.replaceAll(/\([^)]*\)/g, '').match(/[a-zA-Z]\w*/g) ?? [])
  expect(named.filter((name) => !fields.has(name))).toEqual([])
})
