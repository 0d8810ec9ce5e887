/** How the elements of a packed column are stored. */
export type ElementType = 'U8' | 'U16' | 'U32' | 'F64'

export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Unpacks a column: base64 of a little-endian typed array, which is the byte order of all machines with browsers. */
export function unpack(data: string, elementType: ElementType): Column {
  const binary = atob(data)
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  switch (elementType) {
    case 'U8':
      return bytes
    case 'U16':
      return new Uint16Array(bytes.buffer)
    case 'U32':
      return new Uint32Array(bytes.buffer)
    case 'F64':
      return new Float64Array(bytes.buffer)
  }
}
