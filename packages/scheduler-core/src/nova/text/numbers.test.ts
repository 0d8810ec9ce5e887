import { expect, test } from 'vitest'
import { readFloat, readInt, trimBlanks } from '../../text/numbers.ts'
import { listOf } from '../conf/values.ts'
import { NovaError } from './nova-error.ts'
import { bytesOf, isIntLike, pythonFloat, pythonInt } from './numbers.ts'

test.each([
  ['digits', '42', 42],
  ['leading zeros', '007', 7],
  ['a sign', '-3', -3],
  ['a plus', '+3', 3],
  ['blanks around', ' \t8\n', 8],
  ['blanks that only Python accepts', '\u30008\x85', 8],
  ['digits in groups', '1_000', 1000],
  ['digits of another script', '٣٤', 34],
])('a whole number with %s', (_name, text, value) => {
  expect(pythonInt(text)).toBe(value)
})

test.each(['', ' ', '1.5', '1,2', '1e3', '0x10', '1__0', '_1', '1_', '- 1', '²', 'inf', '\x1c8'])('%j is not a whole number', (text) => {
  expect(() => pythonInt(text)).toThrow(expect.objectContaining({ kind: 'ValueError' }))
})

const LONGEST = '0'.repeat(4_299)

test.each(['', '-', '+'])('a number with the sign %j may have as many digits as Python reads, and no more', (sign) => {
  const longest = Number(`${sign}7`)
  expect([readInt(`${sign}${LONGEST}7`), pythonInt(` ${sign}${LONGEST}7`)]).toEqual([longest, longest])
  expect(readInt(`${sign}${LONGEST}07`)).toBeUndefined()
  expect(() => pythonInt(`${sign}${LONGEST}07`)).toThrow(new NovaError('ValueError', 'a number of 4301 digits is longer than 4300'))
})

test.each([
  ['1e1', 10],
  ['.5', 0.5],
  ['5.', 5],
  [' 1_0.5 ', 10.5],
  ['INF', Number.POSITIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
  ['nan', Number.NaN],
])('%j is a number', (text, value) => {
  expect(pythonFloat(text)).toBe(value)
})

test.each(['', '.', 'e1', '0x10', '1,5', '5 GB', 'infin', '1_.5'])('%j is not a number', (text) => {
  expect(() => pythonFloat(text)).toThrow(expect.objectContaining({ kind: 'ValueError' }))
})

test.each([
  ['2', true],
  ['-2', true],
  ['0', true],
  ['02', false],
  ['+2', false],
  [' 2', false],
  ['-0', false],
  ['x', false],
])('%j is an integer as Python prints it: %j', (text, is) => {
  expect(isIntLike(text)).toBe(is)
})

test.each([
  ['2MB', 2_097_152],
  ['1GiB', 1_073_741_824],
  ['1GB', 1_073_741_824],
  ['8b', 1],
  ['9bit', 2],
  ['1.5KB', 1536],
  ['-1KB', -1024],
])('%j in bytes', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes)
})

const MANY = 1_000_000

// Regular expressions with quadratic cost on long runs of blanks or digits would take very long here.
test.each([
  ['blanks within', () => trimBlanks(`a${' '.repeat(MANY)}b`), `a${' '.repeat(MANY)}b`],
  ['blanks within a number', () => readInt(`1${' '.repeat(MANY)}2`), undefined],
  ['a very long number', () => readFloat(`${'1'.repeat(MANY)}x`), undefined],
  ['a very long number in a size', () => orNone(() => bytesOf(`${'1'.repeat(MANY)}x`)), undefined],
  ['commas within a list', () => listOf(`a${','.repeat(MANY)}b`).length, MANY + 1],
])('long texts are read once: %s', (_name, read, expected) => {
  expect(read()).toBe(expected)
})

function orNone(read: () => number): number | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

test.each(['2048', '', '2 MB', 'MB', '2kB', '1.KB'])('%j is not a size', (text) => {
  expect(() => bytesOf(text)).toThrow(expect.objectContaining({ kind: 'ValueError' }))
})
