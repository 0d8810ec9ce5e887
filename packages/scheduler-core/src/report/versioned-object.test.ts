import { expect, test } from 'vitest'
import { keysIn, refuseKeys, type WireError, WireErrors } from './versioned-object.ts'

test.each<[string, unknown, string, string[]]>([
  ['keys without dots', { a: { b: 1 } }, 'a.b', ['a', 'b']],
  ['the longest key with dots that exists', { a: 1, 'a.b': { 'c.d': 1 } }, 'a.b.c.d', ['a.b', 'c.d']],
  ['a key that is the beginning of a longer word', { a: 1, ab: { c: 1 } }, 'ab.c', ['ab', 'c']],
  ['the index of a list', { a: [0, { 'b.c': 1 }] }, 'a.1.b.c', ['a', '1', 'b.c']],
  ['keys within envelopes', { 'nova_object.data': { a: { 'nova_object.data': { 'b.c': 1 } } } }, 'a.b.c', ['a', 'b.c']],
  ['keys that do not exist', { a: 1 }, 'b.c', ['b', 'c']],
])('a path is split into %s', (_what, document, path, keys) => {
  expect(keysIn(document, path)).toEqual(keys)
})

test('a path whose last key has 20,000 dots is split by looking at each key of the document at most four times', () => {
  let looks = 0
  const counted = <Value extends object>(value: Value): Value =>
    new Proxy(value, {
      getOwnPropertyDescriptor(target, key) {
        looks++
        return Reflect.getOwnPropertyDescriptor(target, key)
      },
    })
  const key = `${'a.'.repeat(20_000)}a`
  const document = counted({ uuid: 'u', name: 'x', metadata: counted({ [key]: 5, b: 1 }) })
  expect(keysIn(document, `metadata.${key}`)).toEqual(['metadata', key])
  expect(looks).toBeLessThanOrEqual(4 * 5)
})

test('at most 100 keys are refused one by one, and the last error has the count of the others', () => {
  let looks = 0
  const unread = new Proxy(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 0])), {
    get(target, key, receiver): unknown {
      looks++
      return Reflect.get(target, key, receiver)
    },
  })
  let errors: readonly WireError[] = []
  try {
    refuseKeys(unread, 'a and b')
  } catch (error) {
    if (error instanceof WireErrors) errors = error.errors
  }
  expect([errors.length, looks]).toEqual([100, 100])
  expect(errors[0]?.message).toBe('k0 is 0; it must be left out: a and b are the only fields that are read')
  expect(errors[99]?.message).toBe('k99 is 0; it must be left out, like 9900 more: a and b are the only fields that are read')
})
