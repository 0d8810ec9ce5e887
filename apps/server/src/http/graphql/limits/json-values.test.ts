import fc from 'fast-check'
import { expect, test } from 'vitest'
import { valuesInJson } from './json-values.ts'

const countIn = (text: string, most = 1_000): number => valuesInJson(Buffer.from(text), most)

test.each([
  ['null', 0],
  ['"a,b[c{"', 0],
  ['[]', 0],
  ['{ }', 0],
  ['[1]', 1],
  ['[ [ ] , { } ]', 2],
  ['[[1],[2,3]]', 5],
  ['{"a":{"b":[1,2]},"c":null}', 5],
  [String.raw`["a\",b", "c\\", "d\\\",[,{"]`, 3],
  ['["\u{1d54f},ä,Σ"]', 1],
])('%s has %i values', (text, count) => {
  expect(countIn(text)).toBe(count)
})

test.each(['["', '["\\', '"', '{"a', '[[[['])('a text that ends too early is counted to its end: %s', (text) => {
  expect(countIn(text)).toBeLessThanOrEqual(text.length)
})

test('a count above the limit is the limit and one', () => {
  expect(countIn('[1,2,3]', 3)).toBe(3)
  expect(countIn('[1,2,3,4]', 3)).toBe(4)
  expect(countIn(`[${'[],'.repeat(1_000)}[]]`, 3)).toBe(4)
})

/** The items and members of a parsed value. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const inner: readonly unknown[] = Object.values(value)
  return inner.reduce<number>((sum, one) => sum + 1 + membersOf(one), 0)
}

test('the values of a text are the items and members of what it parses to', () => {
  fc.assert(
    fc.property(fc.json(), fc.constantFrom(undefined, 2), (text, indent) => {
      const value: unknown = JSON.parse(text)
      expect(countIn(JSON.stringify(value, null, indent), Number.MAX_SAFE_INTEGER)).toBe(membersOf(value))
    }),
  )
})
