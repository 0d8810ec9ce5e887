import { expect, it } from 'vitest'
import { parseSort, printSort } from './sort.ts'

it.each([
  ['nothing', '', ''],
  ['only commas and a minus sign', ',,-,', ''],
  ['a key twice', 'name,-name,age', 'name,age'],
])('empty and repeated keys are ignored: %s', (_name, text, read) => expect(printSort(parseSort(text))).toBe(read))
