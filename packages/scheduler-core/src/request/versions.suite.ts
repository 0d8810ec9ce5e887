import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Parsed } from '../text/problem.ts'
import { canonicalJson } from '../values/canonical-json.ts'

/** A family of documents, such as requests or reports: all its published versions, and inputs for tests. */
export interface Family<Document extends object> {
  /** The versions, oldest first. `frozen` is the digest that the shape of the schema had when the version was published. */
  readonly versions: readonly { readonly version: string; readonly schema: z.ZodType; readonly frozen: string }[]
  /**
   * Examples of rules that the shape of a schema does not show. Each example has an input, and the path and message of the input's first
   * problem. The problem is absent if the input is valid.
   */
  readonly rules: readonly (readonly [name: string, version: string, input: object, problem?: string])[]
  /** Generates inputs of the oldest version. `newest` generates inputs of the newest version. */
  readonly oldest: fc.Arbitrary<object>
  readonly newest: fc.Arbitrary<object>
  parse(input: unknown): Parsed<Document>
  current(document: object): Document
  in(version: string, document: Document): Parsed<object>
  published(document: Document): object
  versionOf(document: object): string
}

/** The JSON schema of a version, without descriptions and units. */
export const shapeOf = (schema: z.ZodType): unknown =>
  JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), (key, value: unknown) =>
      (key === 'description' || key === 'unit') && typeof value === 'string' ? undefined : value,
    ),
  )

export const digestOf = (schema: z.ZodType): string =>
  createHash('sha256')
    .update(canonicalJson(shapeOf(schema)))
    .digest('hex')

/** Tests the rules that all published versions follow. */
export function describeVersions<Document extends object>(family: Family<Document>): void {
  const { versions, rules, oldest, newest, parse, current, published } = family
  const first = versions[0] as (typeof versions)[number]
  const last = versions.at(-1) as (typeof versions)[number]
  const parsed = (input: unknown): Document => {
    const result = parse(input)
    if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('; '))
    return result.value
  }
  /** Sets the version of an input. */
  const as = (version: string, input: object) => ({ ...input, version })
  /** Parses an input with the schema of its version. The result is the form in which inputs are stored. */
  const written = (schema: z.ZodType, input: object): object => schema.parse(input) as object

  // If a digest differs, a published schema was changed. Undo the change, and publish the changed schema as a new version in a new file.
  test.each(versions)('version $version still accepts what it accepted when it was published', ({ schema, frozen }) => {
    expect(digestOf(schema)).toBe(frozen)
  })

  test.each(rules.map(([name, version, input, problem]) => ({ name, version, input, problem })))('$name ($version)', (row) => {
    const { version, input, problem } = row
    const result = parse(as(version, input))
    expect(result.ok ? undefined : `${result.problems[0]?.path.join('.')}: ${result.problems[0]?.message}`).toBe(problem)
  })

  test('an unknown version is refused with a list of the known versions', () => {
    for (const version of ['0.9', '9.0', 1, '', null])
      expect(parse(as(version as string, {}))).toMatchObject(
        version === null
          ? { ok: false }
          : { ok: false, problems: [{ path: ['version'], expected: `one of ${versions.map((one) => one.version).join(', ')}` }] },
      )
  })

  describe('laws of all versions', () => {
    test('a document of the oldest version is unchanged after a conversion to the newest version and back', () => {
      fc.assert(
        fc.property(oldest, (input) => {
          const document = written(first.schema, input)
          const newer = current(document)
          expect(family.versionOf(newer)).toBe(last.version)
          expect(family.in(first.version, newer)).toEqual({ ok: true, value: document })
          expect(canonicalJson(published(newer))).toBe(canonicalJson(document))
        }),
        { numRuns: 200 },
      )
    })

    test('an input of the oldest version gives the same document, whichever version number it states, and without one', () => {
      fc.assert(
        fc.property(oldest, (input) => {
          const silent = parsed(input)
          for (const { version } of versions) expect(parsed(as(version, input))).toEqual(silent)
        }),
        { numRuns: 100 },
      )
    })

    test('a document is stored in the oldest version that can express it, and is read back unchanged', () => {
      fc.assert(
        fc.property(newest, (input) => {
          const document = parsed(as(last.version, input))
          const kept = published(document)
          expect(current(kept)).toEqual(document)
          // the conversion of a copy cannot use what is known about `kept`
          expect(current(structuredClone(kept))).toEqual(document)
          expect(parsed(JSON.parse(JSON.stringify(kept)))).toEqual(document)
          const saying = versions.filter(({ version }) => family.in(version, document).ok).map(({ version }) => version)
          expect(family.versionOf(kept)).toBe(saying[0])
          expect(saying.at(-1)).toBe(last.version)
        }),
        { numRuns: 200 },
      )
    })

    test('a conversion to an older version keeps the whole document, or names every field that the version cannot express', () => {
      fc.assert(
        fc.property(newest, (input) => {
          const document = parsed(as(last.version, input))
          const older = family.in(first.version, document)
          if (older.ok) {
            expect(written(first.schema, older.value)).toEqual(older.value)
            expect(current(older.value)).toEqual(document)
            return
          }
          expect(older.problems.length).toBeGreaterThan(0)
          const rest = JSON.parse(JSON.stringify(document))
          for (const { path, actual, message } of older.problems) {
            expect(message).toContain(actual)
            unset(rest, path)
          }
          const { version: _, ...plain } = rest
          // Without the fields that the problems name, the older version can express the document.
          expect(family.in(first.version, parsed(plain)).ok).toBe(true)
        }),
        { numRuns: 200 },
      )
    })
  })
}

/** Removes a field. If the field is `cpuPolicy`, also removes `dedicatedCpus`, which is only allowed with the policy `mixed`. */
function unset(root: Record<string, never>, path: readonly string[]): void {
  const holder = path.slice(0, -1).reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, root)
  const [field] = path.slice(-1)
  delete holder[field as string]
  if (field === 'cpuPolicy') delete holder.dedicatedCpus
}
