import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseProfile } from '../pipeline/compile.ts'
import { parseHostStats, parseStatsDelta } from '../report/stats.ts'
import type { Parsed } from '../text/problem.ts'
import { deep, MIB, profile, request, stats } from './parse.test.ts'
import { parseRequestSpec } from './parse.ts'

describe('parsers accept any input without throwing', () => {
  const parsers = { parseRequestSpec, parseHostStats, parseStatsDelta, parseProfile }
  const rest: fc.Arbitrary<unknown> = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  })

  /** Checks that the parser does not throw, and that every problem has a path and states briefly what was found and what is allowed. */
  const check = (parse: (input: unknown) => Parsed<unknown>, input: unknown): void => {
    const parsed = parse(input)
    if (parsed.ok) return
    expect(parsed.problems.length).toBeGreaterThan(0)
    expect(parsed.problems.length).toBeLessThanOrEqual(100)
    for (const { code, path, message, expected, actual } of parsed.problems) {
      expect(code).toMatch(/^(spec|stats|profile)\.(invalid|unknown_field|unknown_version)$/)
      expect(message).toContain(path.at(-1) ?? 'the ')
      expect([expected === '', actual === '', actual.length > 80, message.length > 1_000, message.includes('Invalid input')]).toEqual([
        false,
        false,
        false,
        false,
        false,
      ])
    }
  }

  describe.each(Object.entries(parsers))('%s', (_name, parse) => {
    const sample: Record<string, object> = {
      parseRequestSpec: request({ image: {}, gpus: {}, requestedResources: [{ amounts: [] }] }),
      parseHostStats: stats({}),
      parseStatsDelta: { baseSequence: 1 },
      parseProfile: profile({}),
    }
    const base = sample[_name] ?? {}

    test('does not throw for any input', () => {
      fc.assert(
        fc.property(rest, (input) => check(parse, input)),
        { numRuns: 300 },
      )
    })

    test('does not throw for any value of one field', () => {
      const fields = Object.keys(base)
      fc.assert(
        fc.property(fc.constantFrom(...fields), rest, (field, value) => check(parse, { ...base, [field]: value })),
        { numRuns: 300 },
      )
    })

    test('does not throw for any members of one field', () => {
      const fields = Object.keys(base)
      fc.assert(
        fc.property(
          fc.constantFrom(...fields),
          fc.dictionary(fc.oneof(fc.constantFrom('__proto__', 'constructor', 'name', 'uuid', 'cells', 'options'), fc.string()), rest),
          (field, value) => check(parse, { ...base, [field]: fc.stringify(value).length % 2 === 0 ? value : [value] }),
        ),
        { numRuns: 300 },
      )
    })

    test('does not throw for deep nesting, 1 MiB of text or a cyclic object', () => {
      const loop: Record<string, unknown> = { ...base }
      loop.flavor = loop
      loop.filters = [loop]
      for (const value of [deep(50_000), MIB, { [MIB]: MIB }, [[MIB]], loop])
        for (const field of ['x', ...Object.keys(base)]) check(parse, { ...base, [field]: value })
      check(parse, loop)
    })
  })
})
