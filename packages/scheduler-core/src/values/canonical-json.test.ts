import { describe, expect, test } from 'vitest'
import { byCodeUnit, canonicalJson } from './canonical-json.ts'

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

  test('byCodeUnit returns -1, 1 or 0 for a smaller, larger or equal text', () => {
    expect([byCodeUnit('a', 'b'), byCodeUnit('b', 'a'), byCodeUnit('a', 'a')]).toEqual([-1, 1, 0])
  })
})
