import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editDistance, nearSpellings } from './near-spelling.ts'

describe('names that are similar to a misspelt word', () => {
  test.each([
    ['an additional letter', 'zonne1', ['zone1', 'other'], ['zone1']],
    ['a letter that is missing', 'zne1', ['zone1'], ['zone1']],
    ['two letters exchanged', 'HW_CPU_X86_AXV2', ['HW_CPU_X86_AVX2', 'HW_CPU_X86_SSE'], ['HW_CPU_X86_AVX2']],
    ['one letter that differs', 'az9', ['az1', 'az2'], ['az1', 'az2']],
    ['different case, and - instead of _', 'custom-fast', ['CUSTOM_FAST'], ['CUSTOM_FAST']],
    ['the nearest comes first', 'rack10', ['rack-20', 'rack11', 'rack9'], ['rack11', 'rack-20', 'rack9']],
    ['a prefix that many names share does not make names similar', 'CUSTOM_NOPE', ['CUSTOM_P', 'CUSTOM_NODE', 'CUSTOM_A'], ['CUSTOM_NODE']],
    ['a common word among several does not make names similar', 'HW_CPU_X86_SSE', ['HW_CPU_X86_AVX', 'HW_CPU_X86_SEE'], ['HW_CPU_X86_SEE']],
    ['words behind a prefix that are too short to compare', 'CUSTOM_BB', ['CUSTOM_B', 'CUSTOM_BC'], []],
    ['a prefix that is misspelt itself', 'CUTSOM_FAST', ['CUSTOM_FAST', 'CUSTOM_SLOW'], ['CUSTOM_FAST']],
    ['the word itself is a name', 'az1', ['az1', 'az2'], []],
    ['a word that resembles no name', 'gold', ['silver', 'g'], []],
    ['words too short to compare', 'z1', ['z2'], []],
    ['no word', '', ['a'], []],
  ])('%s', (_what, word, names, near) => {
    expect(nearSpellings(word, names)).toEqual(near)
  })

  test('at most three similar names are returned, all of them existing names, and none if the word itself exists', () => {
    const word = fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom('a', 'b', '1', '_') })
    fc.assert(
      fc.property(word, fc.array(word), (asked, names) => {
        const near = nearSpellings(asked, names)
        expect(near.length).toBeLessThanOrEqual(3)
        for (const name of near) expect(names).toContain(name)
        if (names.includes(asked)) expect(near).toEqual([])
      }),
    )
  })
})

test('the distance of two words is symmetric, 0 only if they are equal, and at most the length of the longer word', () => {
  const word = fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', 'c') })
  fc.assert(
    fc.property(word, word, (a, b) => {
      const distance = editDistance(a, b)
      expect(distance === 0).toBe(a === b)
      expect(editDistance(b, a)).toBe(distance)
      expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
    }),
  )
})

test('a distance up to the limit is exact, and a larger distance is Infinity', () => {
  const word = fc.string({ maxLength: 9, unit: fc.constantFrom('a', 'b', 'c') })
  fc.assert(
    fc.property(word, word, fc.integer({ min: 0, max: 4 }), (a, b, most) => {
      const distance = wholeDistance(a, b)
      expect(editDistance(a, b)).toBe(distance)
      expect(editDistance(a, b, most)).toBe(distance <= most ? distance : Number.POSITIVE_INFINITY)
    }),
    { numRuns: 2_000 },
  )
})

/** Computes the edit distance with a complete table, without optimisation. */
function wholeDistance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0
  for (let i = 0; i <= a.length; i++)
    for (let j = 0; j <= b.length; j++) {
      const row = table[i] as number[]
      if (i === 0 || j === 0) {
        row[j] = i + j
        continue
      }
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(at(i, j), at(i - 2, j - 2) + 1)
    }
  return at(a.length, b.length)
}
