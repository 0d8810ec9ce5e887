import { parse, stripIgnoredCharacters } from 'graphql'
import { describe, expect, test } from 'vitest'
import { isNestedBeyond } from './document-nesting.ts'

/** A document with a text in an argument. Its own brackets are nested two deep. */
const withText = (literal: string): string => `{ __type(name: ${literal}) { name } }`
const nested = (depth: number): string => `{ hosts(ids: ${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}) }`

describe('brackets in texts and comments do not change the nesting of a document', () => {
  test.each<[string, string]>([
    ['opening brackets in a string', withText(`"${'({['.repeat(65)}"`)],
    ['opening brackets behind an escaped quotation mark', withText(`"\\"${'('.repeat(65)}"`)],
    ['opening brackets behind an escaped backslash at the end of another string', withText(`"a\\\\") a: __type(name: "${'('.repeat(65)}"`)],
    ['opening brackets in a block string', withText(`"""${'(["'.repeat(65)} """`)],
    ['opening brackets behind an escaped end of a block string', withText(`"""\\"""${'('.repeat(65)}"""`)],
    ['opening brackets behind an empty string', withText(`"" other: "${'('.repeat(65)}"`)],
    ['opening brackets in a comment', `# ${'('.repeat(65)}\n${withText('"a"')}`],
    ['a quotation mark in a comment', `# "\n${withText('"a"')}`],
  ])('%s', (_name, text) => {
    // the document is one that the parser reads
    expect(parse(text).definitions).toHaveLength(1)
    for (const form of [text, stripIgnoredCharacters(text)]) {
      expect(isNestedBeyond(form, 2)).toBe(false)
      expect(isNestedBeyond(form, 1)).toBe(true)
    }
  })

  test.each<[string, string]>([
    ['closing brackets in a string', withText(`"${')'.repeat(1_000)}"`)],
    ['closing brackets in a block string', withText(`"""${']}'.repeat(1_000)}"""`)],
    ['closing brackets in a comment', `# ${'}'.repeat(1_000)}\n`],
    ['a number sign in a string', withText('"#"')],
    ['closing brackets without opening ones', '}'.repeat(1_000)],
  ])('%s do not hide deep brackets behind them', (_name, text) => {
    expect(isNestedBeyond(`${text} ${nested(64)}`, 64)).toBe(false)
    expect(isNestedBeyond(`${text} ${nested(65)}`, 64)).toBe(true)
  })

  test.each(['"', '"""', '"\\', '"""\\"""', '#'])('a text that ends within %s is read to its end', (open) => {
    expect(isNestedBeyond(`{${open}((((`, 1)).toBe(false)
  })
})
