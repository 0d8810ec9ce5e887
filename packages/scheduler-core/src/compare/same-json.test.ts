import fc from 'fast-check'
import { expect, test } from 'vitest'
import { canonicalJson } from '../values/canonical-json.ts'
import { isSameJson } from './same-json.ts'

const scalar = fc.constantFrom<unknown>(
  null,
  undefined,
  true,
  0,
  -0,
  1,
  0.5,
  Number.NaN,
  '',
  'a',
  '\ud800',
  '1970-01-01T00:00:00.000Z',
  new Date(0),
)
const key = fc.constantFrom('a', 'b', '__proto__', 'constructor')
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
  ),
}))

test('two values are the same JSON exactly if they have the same canonical JSON', () => {
  let same = 0
  const check = (a: unknown, b: unknown): void => {
    const isSame = canonicalJson(a) === canonicalJson(b)
    if (isSame) same++
    expect(isSameJson(a, b)).toBe(isSame)
    expect(isSameJson(b, a)).toBe(isSame)
  }
  fc.assert(
    fc.property(value, value, (a, b) => {
      check(a, b)
      check(a, structuredClone(a))
      check({ a, b }, { b, a })
      check([a, b], [b, a])
      check({ a, b }, { a })
    }),
    { numRuns: 2_000 },
  )
  expect(same).toBeGreaterThan(2_000)
})
