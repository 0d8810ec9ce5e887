/**
 * The depth to which lists and objects of a JSON text are nested, counted without parsing the text: parsing, and above all writing, a
 * text with very many levels can exhaust the stack. The text need not be valid.
 */
export function nestingOf(text: string): number {
  let depth = 0
  let deepest = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (isInString) {
      if (char === BACKSLASH) i++
      else if (char === QUOTE) isInString = false
    } else if (char === QUOTE) isInString = true
    else if (char === OPEN_LIST || char === OPEN_OBJECT) deepest = Math.max(deepest, ++depth)
    else if (char === CLOSE_LIST || char === CLOSE_OBJECT) depth--
  }
  return deepest
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\[]{}'].map((char) => char.charCodeAt(0))
