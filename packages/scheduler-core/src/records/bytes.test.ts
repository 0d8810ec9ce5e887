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
