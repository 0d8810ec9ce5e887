import { expect, test } from 'vitest'
import { cpuListParser, MAX_CPUS, parseCpuList, rangesIn } from './cpu-list.ts'
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
])('matching %j with the requirement %j throws an error', (value, requirement, kind) => {
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

test('a range that a CPU list has 64,000 times is expanded once', () => {
  const text = '0-32766,'.repeat(64_000)
  expect(rangesIn(text)).toEqual({ taken: [[0, 32_766]], refused: [] })
  expect(parseCpuList(text)).toHaveLength(32_767)
})

test('an exclusion that a CPU list has 64,000 times is applied once', () => {
  const text = `0-3,9-12,${'^2-10,'.repeat(64_000)}`
  expect(rangesIn(text)).toEqual({
    taken: [
      [0, 3],
      [9, 12],
    ],
    refused: [[2, 10]],
  })
  expect(parseCpuList(text)).toEqual([0, 1, 11, 12])
})

test('ranges that overlap or adjoin give each CPU once, in ascending order', () => {
  expect(parseCpuList('6-8,1-2,2-4,7,^3,^7-7,5')).toEqual([1, 2, 4, 5, 6, 8])
})

test('the lists of one document can have as many CPUs together as one list', () => {
  const parse = cpuListParser()
  for (let node = 0; node < 64; node++) expect(parse('0-1022')).toHaveLength(1_023)
  expect(parse('0-63')).toHaveLength(MAX_CPUS - 64 * 1_023)
  expect(() => parse('0')).toThrow('"0" and the lists before it name more than 65536 CPUs')
})

test.each(['9007199254740992', '9007199254740992-9007199254740994', `${'9'.repeat(400)}-${'9'.repeat(400)}`])(
  'the CPU list %s is refused, because adding 1 to such a large number can give the same number',
  (text) => {
    expect(() => parseCpuList(text)).toThrow(expect.objectContaining({ kind: 'Invalid' }))
  },
)
