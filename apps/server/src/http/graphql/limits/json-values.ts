const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const SPACE = 0x20

/**
 * How many items and members the lists and objects of a JSON text have together, including nested ones. It is counted in the UTF-8 bytes of
 * the text, because parsing a text of many small values takes much longer and creates an object for each of them. For a text that is not
 * JSON, the result is any number. A larger result than `most` is `most + 1`.
 */
export function valuesInJson(bytes: Uint8Array, most: number): number {
  let count = 0
  /** True after an opening bracket, until a value or the closing bracket follows. */
  let isOpen = false
  for (let at = 0; at < bytes.length && count <= most; at++) {
    const byte = bytes[at] as number
    if (byte <= SPACE) continue
    if (isOpen && byte !== CLOSE_LIST && byte !== CLOSE_OBJECT) count++
    isOpen = byte === OPEN_LIST || byte === OPEN_OBJECT
    if (byte === COMMA) count++
    else if (byte === QUOTE) at = endOfString(bytes, at)
  }
  return Math.min(count, most + 1)
}

/** The position of the quotation mark that ends the string that begins at a position, or the end of the text. */
function endOfString(bytes: Uint8Array, from: number): number {
  let at = from
  do {
    at = bytes.indexOf(QUOTE, at + 1)
  } while (at > 0 && isEscaped(bytes, at))
  return at < 0 ? bytes.length : at
}

/** True if an odd number of backslashes precedes a position. */
function isEscaped(bytes: Uint8Array, at: number): boolean {
  let first = at
  while (bytes[first - 1] === BACKSLASH) first--
  return (at - first) % 2 === 1
}
