import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unpack } from './packed.ts'

const base64 = (values: ArrayBufferView): string => Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64')

test.each([
  ['U8', (values: number[]) => Uint8Array.from(values), 0xff],
  ['U16', (values: number[]) => Uint16Array.from(values), 0xffff],
  ['U32', (values: number[]) => Uint32Array.from(values), 0xffff_ffff],
] as const)('a column of %s is read as it was packed', (type, pack, max) => {
  fc.assert(
    fc.property(fc.array(fc.nat(max)), (values) => {
      expect([...unpack(base64(pack(values)), type)]).toEqual(values)
    }),
  )
})

test('a packed column of F64 is unpacked unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.double()), (values) => {
      expect([...unpack(base64(Float64Array.from(values)), 'F64')]).toEqual(values)
    }),
  )
})
