import { expect, test } from 'vitest'
import { quote } from './problem.ts'

test.each<[string, unknown, string]>([
  ['text is quoted', 'a"b', '"a\\"b"'],
  ['a number is written unchanged', -1.5, '-1.5'],
  ['a value that is not a number is written as NaN', Number.NaN, 'NaN'],
  ['a big integer is written with n at its end', 5n, '5n'],
  ['undefined is shown as nothing', undefined, 'nothing'],
  ['null is null', null, 'null'],
  ['a list is counted, not shown', [1, 2, 3], 'a list of 3'],
  ['an empty list is described as empty', [], 'an empty list'],
  ['an object is not shown', { password: 'x' }, 'an object'],
  ['a symbol does not throw', Symbol('s'), 'Symbol(s)'],
])('%s', (_name, value, expected) => {
  expect(quote(value)).toBe(expected)
})

test('a quoted text of 1 MiB is shortened to 80 characters', () => {
  expect(quote('x'.repeat(2 ** 20))).toHaveLength(80)
})
