import { expect, test } from 'vitest'
import { parseCpuList } from './cpu-list.ts'
import { match } from './extra-spec-match.ts'
import { hypervisorVersionText, versionSatisfies } from './versions.ts'

test.each([
  ['a number is compared with a required number', '5', '>= 4', true],
  ['= means at least', '9', '= 8', true],
  ['an operator without a space before its number is plain text', '5', '>=4', false],
  ['text in the order of code points', '\u{1f600}', 's> \uffff', true],
  ['a prefix sorts before the whole text', 'ab', 's< abc', true],
  ['each alternative of <or> needs an <or> of its own', 'b', '<or> a b', false],
  ['a byte order mark does not count as a blank', 'x', '\ufeff= 1', false],
])('%s', (_name, value, requirement, matches) => {
  expect(match(value, requirement)).toBe(matches)
})

test('a missing value satisfies no operator', () => {
  expect([match(null, '>= 1'), match(null, '<or> a'), match(null, 'a')]).toEqual([false, false, false])
})

test.each([
  ['many', '>= 1', 'ValueError'],
  ['5', '>= few', 'ValueError'],
  ['5', '== 0x10', 'ValueError'],
  ['5', '<or>', 'IndexError'],
])('%j against %j is an error', (value, requirement, kind) => {
  expect(() => match(value, requirement)).toThrow(expect.objectContaining({ kind }))
})

test.each([
  ['7.2.0', '>=7.2', true],
  ['7.2.0', ' >= 7.2 , < 8.0 ', true],
  ['8.0.1', '>=7.2,<8.0', false],
  ['7.2.0', '>7.2b1', true],
  ['7.2.0', '!=7.2.0', false],
])('version %s meets %j: %j', (version, predicate, meets) => {
  expect(versionSatisfies(version, predicate)).toBe(meets)
})

test.each([
  ['7.2.0', '7.2', 'ValueError'],
  ['7.2.0', '>=7', 'ValueError'],
  ['7.2.0', '', 'ValueError'],
  ['7', '>=7.0', 'ValueError'],
  ['', '>=7.0', 'AttributeError'],
])('version %j against %j is an error', (version, predicate, kind) => {
  expect(() => versionSatisfies(version, predicate)).toThrow(expect.objectContaining({ kind }))
})

test('a negative version is refused, because the conversion would not end', () => {
  expect(() => hypervisorVersionText(-1)).toThrow(expect.objectContaining({ kind: 'ValueError' }))
})

test('a CPU list with too many CPUs is refused', () => {
  expect(() => parseCpuList('0-999999999')).toThrow(expect.objectContaining({ kind: 'Invalid' }))
  expect(() => parseCpuList('0-60000,60001-120000')).toThrow(expect.objectContaining({ kind: 'Invalid' }))
})
