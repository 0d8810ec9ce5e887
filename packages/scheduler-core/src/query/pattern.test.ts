import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostFields } from './host-fields.ts'
import { parseQuery } from './parse.ts'
import { compileContains, compilePattern, MAX_STARS, starsOf } from './pattern.ts'

test.each<[string, string, boolean]>([
  ['', '', true],
  ['', 'a', false],
  ['*', '', true],
  ['**', 'anything', true],
  ['a*', 'a', true],
  ['a*', 'ba', false],
  ['*b', 'aab', true],
  ['*b', 'aba', false],
  ['a*c*e', 'abcde', true],
  ['a*c*e', 'abcdef', false],
  ['*ab*ab', 'ab', false],
  ['*aab', 'aaab', true],
  ['a.c', 'abc', false],
  ['(a|b)+$', '(a|b)+$', true],
  ['a\\*c', 'a*c', true],
  ['a\\*c', 'abc', false],
  ['a\\\\*', 'a\\bc', true],
  ['a\\', 'a\\', true],
  ['line*two', 'line\ntwo', true],
  ['*😀', 'a😀', true],
])('the pattern %j and the text %j: %j', (pattern, text, matches) => expect(compilePattern(pattern)(text)).toBe(matches))

test('every pattern matches its own text with its stars replaced by any characters', () => {
  const part = fc.string({ maxLength: 5 })
  fc.assert(
    fc.property(fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 6 }), part, (parts, last) => {
      const literal = (text: string): string => text.replace(/[*\\]/g, '\\$&')
      const pattern = `${parts.map(([fixed]) => `${literal(fixed)}*`).join('')}${literal(last)}`
      expect(compilePattern(pattern)(`${parts.map(([fixed, any]) => fixed + any).join('')}${last}`)).toBe(true)
    }),
  )
})

/** A simple implementation that tries every possible match. `compilePattern` must give the same results. */
function matchesSlowly(pattern: string, text: string): boolean {
  if (pattern === '') return text === ''
  if (pattern[0] !== '*') return text !== '' && pattern[0] === text[0] && matchesSlowly(pattern.slice(1), text.slice(1))
  for (let i = 0; i <= text.length; i++) if (matchesSlowly(pattern.slice(1), text.slice(i))) return true
  return false
}

test('compilePattern gives the same results as trying every possible match', () => {
  const letters = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 8 }).map((all) => all.join(''))
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 10 }).map((all) => all.join(''))
  fc.assert(
    fc.property(letters, text, (pattern, one) => {
      expect(compilePattern(pattern)(one)).toBe(matchesSlowly(pattern, one))
    }),
    { numRuns: 3_000 },
  )
})

describe('a pattern is matched in at most three steps per character of pattern and text together', () => {
  const name = 'a'.repeat(255)
  test.each([
    ['the pattern that once stalled a replica', '*a*a*a*a*a*a*a*b', name],
    ['one star more than a filter may have', `${'*a'.repeat(MAX_STARS)}*b`, name],
    ['many stars and nothing between', `${'*'.repeat(900)}b`, name],
    ['a long literal part that nearly fits everywhere', `*${'a'.repeat(120)}b*`, name],
    ['a long literal part that does not fit at its beginning', `*b${'a'.repeat(120)}*`, name],
    ['two long literal parts', `*${'a'.repeat(60)}b*${'a'.repeat(60)}b*`, 'a'.repeat(4_096)],
    ['literal parts whose beginning overlaps their end', `*${'ab'.repeat(60)}c*`, 'ab'.repeat(2_000)],
    ['literal parts that fall back many times', `*${'aab'.repeat(40)}aaa*c`, `${'aab'.repeat(1_000)}c`],
  ])('%s', (_name, pattern, text) => {
    const work = { steps: 0 }
    expect(compilePattern(pattern)(text, work)).toBe(false)
    expect(work.steps).toBeLessThanOrEqual(3 * (pattern.length + text.length))
  })

  test('a word is searched in at most three steps per character of word and text together', () => {
    const work = { steps: 0 }
    expect(compileContains(`b${'a'.repeat(500)}`)('a'.repeat(10_000), work)).toBe(false)
    expect(work.steps).toBeLessThanOrEqual(3 * 10_501)
  })

  test('if a row has many texts, each pattern is matched in at most three steps per character of all texts', () => {
    const texts = Array.from({ length: 1_024 }, (_, i) => `CUSTOM_${'A'.repeat(240)}${i}`)
    const work = { steps: 0 }
    for (let i = 0; i < MAX_STARS; i++) {
      const fits = compilePattern(`*${'A'.repeat(49)}a*`)
      for (const text of texts) fits(text, work)
    }
    expect(work.steps).toBeLessThanOrEqual(3 * MAX_STARS * texts.join('').length)
  })
})

test('a word is found if and only if the text contains it', () => {
  const letters = fc.array(fc.constantFrom('a', 'b'), { maxLength: 12 }).map((all) => all.join(''))
  fc.assert(
    fc.property(letters, letters, (word, text) => {
      expect(compileContains(word)(text)).toBe(text.includes(word))
    }),
  )
})

describe('a filter with too many stars is refused, and the message has the limit and the number found', () => {
  const many = MAX_STARS + 1
  test.each([
    ['in one value', `host:${'*a'.repeat(many)}`],
    ['in values of one term', `host:${Array.from({ length: many }, (_, i) => `*${i}`).join(',')}`],
    ['in several terms', Array.from({ length: many }, (_, i) => `host:*${i}`).join(' ')],
    ['in terms that are negated', Array.from({ length: many }, (_, i) => `-agg:x${i}*`).join(' ')],
  ])('%s', (_name, text) => {
    const { problems } = parseQuery(text, hostFields)
    expect(problems.map(({ message }) => message)).toEqual([`the filter has ${many} stars; ${MAX_STARS} are allowed`])
    expect(problems[0]?.to).toBeLessThanOrEqual(text.length)
  })

  test('a run of stars counts as one star; stars in quotes and in bare words are not counted', () => {
    expect(['a**b', '*', 'a\\*b', 'a\\\\*', ''].map(starsOf)).toEqual([1, 1, 0, 1, 0])
    const text = `host:"${'*'.repeat(100)}" ${'*'.repeat(100)} agg:${'*'.repeat(100)}`
    expect(parseQuery(text, hostFields).problems).toEqual([])
  })
})
