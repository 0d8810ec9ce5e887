import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byExtent } from '../../../../testing/extent.ts'
import { ByteReader, ByteWriter } from './bytes.ts'

test('numbers of every kind are read as they were written, to the last bit', () => {
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

test('numbers that differ in one byte or in all bytes need at most a few additional bytes', () => {
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
