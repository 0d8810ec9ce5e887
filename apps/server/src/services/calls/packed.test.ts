import { expect, test } from 'vitest'
import { elementTypeOf, narrow } from './packed.ts'

test.each([
  [[], 'U8'],
  [[0, 255], 'U8'],
  [[256, 0], 'U16'],
  [[65_535], 'U16'],
  [[1, 65_536], 'U32'],
  [[4_294_967_295], 'U32'],
  [[4_294_967_296], 'F64'],
  [[1, 0.5], 'F64'],
  [[-1, 3], 'F64'],
  [[Number.NaN], 'F64'],
])('%j is stored as %s, whatever array contains it', (numbers, type) => {
  for (const given of [numbers, Float64Array.from(numbers)]) {
    expect(elementTypeOf(narrow(given))).toBe(type)
    expect([...narrow(given)]).toEqual(numbers)
  }
})
