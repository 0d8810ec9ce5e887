import { expect, it } from 'vitest'
import { parseSort, printSort } from './sort.ts'

it.each([
  ['nothing', '', ''],
  ['commas alone', ',,-,', ''],
  ['a key twice', 'name,-name,age', 'name,age'],
])('keys that are not orders are ignored: %s', (_name, text, read) => expect(printSort(parseSort(text))).toBe(read))
