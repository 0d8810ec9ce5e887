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

/**
 * Packs numbers in the narrowest type that holds all of them. F64 is used if a number is negative, is not an integer, or needs more than 32
 * bits.
 */
export function narrow(numbers: ArrayLike<number>): PackedArray {
  let largest = 0
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i] as number
    // `>>> 0` keeps unsigned 32-bit integers and changes all other numbers
    if (number >>> 0 !== number) return new Float64Array(numbers)
    if (number > largest) largest = number
  }
  return largest < 256 ? new Uint8Array(numbers) : largest < 65_536 ? new Uint16Array(numbers) : new Uint32Array(numbers)
}
