export const elementTypes = ['U8', 'U16', 'U32', 'F64'] as const
export type ElementType = (typeof elementTypes)[number]

export type PackedArray = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Base64 of the array's bytes. They are little-endian, as on every machine that Node runs on. */
export const pack = (column: PackedArray): string => Buffer.from(column.buffer, column.byteOffset, column.byteLength).toString('base64')

export function elementTypeOf(column: PackedArray): ElementType {
  switch (column.BYTES_PER_ELEMENT) {
    case 1:
      return 'U8'
    case 2:
      return 'U16'
    case 4:
      return 'U32'
    default:
      return 'F64'
  }
}

/** Whole numbers from 0 in the narrowest type that holds the largest. */
export function narrow(numbers: readonly number[]): PackedArray {
  const largest = numbers.reduce((most, number) => Math.max(most, number), 0)
  return largest < 256 ? Uint8Array.from(numbers) : largest < 65_536 ? Uint16Array.from(numbers) : Uint32Array.from(numbers)
}
