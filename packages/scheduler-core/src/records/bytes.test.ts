import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { ByteReader, ByteWriter } from './bytes.ts'

test('integers and floating-point numbers are read exactly as they were written', () => {
  const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(0, -0, Number.NaN, Infinity, -Infinity, 2 ** 53, -(2 ** 50) - 2))
  fc.assert(
    fc.property(fc.array(fc.tuple(number, number)), (pairs) => {
      const writer = new ByteWriter()
      for (const [value, before] of pairs) writer.near(value, before)
      const reader = new ByteReader(writer.end())
      for (const [value, before] of pairs) expect(Object.is(reader.near(before), value)).toBe(true)
      expect(reader.isAtEnd).toBe(true)
    }),
    { numRuns: byExtent(200, 2_000) },
  )
})

test('a number is written in 1 byte if it equals the earlier number, and in at most 9 bytes if all of its bytes differ', () => {
  const lengthOf = (value: number, before: number) => {
    const writer = new ByteWriter()
    writer.near(value, before)
    return writer.end().length
  }
  expect(lengthOf(0.1, 0.1)).toBe(1)
  expect(lengthOf(7, 5)).toBe(1)
  expect(lengthOf(1.5, 1.25)).toBe(2)
  expect(lengthOf(0.1, -0.3)).toBe(9)
})

test('writers that are used at the same time, one after another, or after an error write only their own bytes', () => {
  const [first, second] = [new ByteWriter(), new ByteWriter()]
  for (let i = 0; i < 100_000; i++) {
    first.byte(i % 256)
    if (i < 3_000) second.byte(255 - (i % 256))
  }
  const ends = [first.end(), second.end()]
  expect(ends[0]).toEqual(Uint8Array.from({ length: 100_000 }, (_, i) => i % 256))
  expect(ends[1]).toEqual(Uint8Array.from({ length: 3_000 }, (_, i) => 255 - (i % 256)))
  const failed = new ByteWriter()
  failed.byte(1)
  expect(() => failed.whole(-1)).toThrow(RangeError)
  const last = new ByteWriter()
  last.text('abc')
  expect(last.end()).toEqual(Uint8Array.of(3, 97, 98, 99))
  expect(last.end()).toEqual(new Uint8Array(0))
  expect(ends[1]?.[0]).toBe(255)
})
