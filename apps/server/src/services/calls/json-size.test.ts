import { describe, expect, test } from 'vitest'
import { countedList } from '../../testing/counted-list.ts'
import { measureJson, sizeRule } from './json-size.ts'

const ENOUGH = { characters: 1_000_000, values: 1_000_000 }

test.each<[unknown]>([
  [null],
  ['text with "quotes", \\, \n, \u0001, \ud800 and Ω'],
  [12.5],
  [-0],
  [true],
  [[]],
  [{}],
  [[1, 'a', [null, [], {}]]],
  [{ a: 1, 'b"': { c: [undefined, { d: undefined }] }, e: undefined }],
])('the length of %j is that of its JSON', (value) => {
  expect(measureJson(value, ENOUGH).characters).toBe(JSON.stringify(value).length)
})

test('the values of lists and objects are counted, including nested ones', () => {
  expect(measureJson({ a: [1, [2, 3]], b: { c: null } }, ENOUGH).values).toBe(2 + 2 + 2 + 1)
  expect(measureJson('text', ENOUGH).values).toBe(0)
})

test('values in a text that is JSON count, and brackets and commas in its strings do not', () => {
  expect(measureJson(['[1, 2, {"a": "[,,"}]'], ENOUGH).values).toBe(1 + 4)
  expect(measureJson(['not JSON [1, 2]', 'a, b'], ENOUGH).values).toBe(2)
})

describe('measuring stops at a limit, however often a value is contained', () => {
  test('of values', () => {
    const { list, read } = countedList(new Array<number>(900).fill(0))
    const { values } = measureJson(new Array(1_500).fill(list), { characters: 1_000_000_000, values: 10_000 })
    expect(values).toBeGreaterThan(10_000)
    expect(read.items).toBeLessThanOrEqual(10_000)
  })

  test('of values in one list, before its items are read', () => {
    const { list, read } = countedList(new Array<number>(10_001).fill(0))
    expect(measureJson([list], { characters: 1_000_000_000, values: 10_000 }).values).toBe(10_002)
    expect(read.items).toBe(0)
  })

  test('of characters', () => {
    const { list, read } = countedList(new Array<string>(2_000).fill('Ω'.repeat(1_000)))
    const { characters } = measureJson([[list], 0], { characters: 10_000, values: 1_000_000 })
    expect(characters).toBeGreaterThan(10_000)
    // the items of the list are collected without reading their texts
    expect(read.items).toBeLessThanOrEqual(2_000)
    expect(characters).toBeLessThanOrEqual(10_000 + 1_002 + 2_002)
  })

  test('of characters in one text, which is not written', () => {
    const text = '\u0001'.repeat(100_000)
    expect(measureJson(text, { characters: 10_000, values: 1 }).characters).toBe(text.length + 2)
  })
})

test('a value above a limit has a rule that names the limit, and any other value has none', () => {
  const most = { characters: 10, values: 3 }
  expect(sizeRule('x'.repeat(9), most)).toBe('have at most 10 characters of JSON; it has more')
  expect(sizeRule([1, 2, 3, 4], most)).toBe('have at most 3 values, including those within lists and objects; it has more')
  expect([sizeRule([1, 2, 3], most), sizeRule(undefined, most), sizeRule(null, most)]).toEqual([undefined, undefined, undefined])
})
