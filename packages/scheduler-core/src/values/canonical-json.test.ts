import { describe, expect, test } from 'vitest'
import { byCodeUnit, canonicalJson } from './canonical-json.ts'
import { createRandom, type Random } from './random.ts'

/** The plain form: every part by JSON.stringify, and keys by the general sort. */
function plainForm(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => plainForm(item === undefined ? null : item)).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null'
  if ('toJSON' in value && typeof value.toJSON === 'function') return plainForm(value.toJSON())
  const members = value as Readonly<Record<string, unknown>>
  const keys = Object.keys(members).filter((key) => members[key] !== undefined)
  return `{${keys
    .sort(byCodeUnit)
    .map((key) => `${JSON.stringify(key)}:${plainForm(members[key])}`)
    .join(',')}}`
}

/** Every character of one byte, and some that JSON or UTF-8 writes in another way. */
const CHARACTERS = [
  ...Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)),
  ...['\u2028', '\u2029', '\ud800', '\udfff', '\u{1f600}', '\ufeff'],
]

function anyText(random: Random): string {
  const length = random.below(20) === 0 ? 90 + random.below(30) : random.below(12)
  const odd = random.below(3) === 0 ? CHARACTERS.length : 0
  return Array.from({ length }, () => (odd > 0 ? CHARACTERS[random.below(odd)] : 'aA0_-.:/ ~!'[random.below(11)])).join('')
}

const LEAVES = [null, undefined, true, false, 0, -0, 1e21, 1e-7, -1.5, 2 ** 53, NaN, Infinity, -Infinity, new Date(0), () => 1]

function anyValue(random: Random, depth: number): unknown {
  const kind = random.below(depth > 4 ? 6 : 10)
  if (kind < 3) return anyText(random)
  if (kind < 4) return random.below(1_000_000) / 1_000
  if (kind < 6) return LEAVES[random.below(LEAVES.length)]
  const length = random.below(10) === 0 ? 20 + random.below(20) : random.below(6)
  if (kind < 8) return Array.from({ length }, () => anyValue(random, depth + 1))
  return Object.fromEntries(Array.from({ length }, () => [anyText(random), anyValue(random, depth + 1)]))
}

describe('canonicalJson', () => {
  test.each<[string, unknown, string]>([
    ['keys are in order of code units', { b: 1, a: 2, B: 3, ä: 4 }, '{"B":3,"a":2,"b":1,"ä":4}'],
    ['a numeric key is ordered as text', { 10: 1, 9: 2 }, '{"10":1,"9":2}'],
    ['undefined members are left out', { a: undefined, b: null }, '{"b":null}'],
    ['undefined in a list is null', [undefined, 1], '[null,1]'],
    ['lists keep their order', [3, 1, 2], '[3,1,2]'],
    ['undefined is null', undefined, 'null'],
    ['text is escaped', { 'a"': '\n' }, '{"a\\"":"\\n"}'],
    ['minus zero is zero', -0, '0'],
    ['inherited members are left out', Object.create({ a: 1 }), '{}'],
    ['a key of a prototype is a key like any other', JSON.parse('{"constructor":1,"__proto__":2}'), '{"__proto__":2,"constructor":1}'],
    ['nested values follow the same rules', { a: [{ d: 1, c: undefined }] }, '{"a":[{"d":1}]}'],
  ])('%s', (_name, value, expected) => {
    expect(canonicalJson(value)).toBe(expected)
  })

  test('random values have the text of the plain form', () => {
    const random = createRandom('canonical JSON')
    for (let i = 0; i < 5_000; i++) {
      const value = anyValue(random, 0)
      expect(canonicalJson(value)).toBe(plainForm(value))
    }
  })

  test('each character is written as JSON.stringify writes it, in texts and in keys', () => {
    for (const one of CHARACTERS) expect(canonicalJson({ [one]: one, z: `${one}a` })).toBe(plainForm({ [one]: one, z: `${one}a` }))
  })

  test('more names of members than are kept are written in the same way', () => {
    for (let i = 0; i < 3_000; i++) expect(canonicalJson({ [`n"${i}`]: i })).toBe(`{"n\\"${i}":${i}}`)
  })

  test('byCodeUnit returns -1, 1 or 0 for a smaller, larger or equal text', () => {
    expect([byCodeUnit('a', 'b'), byCodeUnit('b', 'a'), byCodeUnit('a', 'a')]).toEqual([-1, 1, 0])
  })
})
