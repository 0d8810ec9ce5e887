/**
 * True if the brackets of a GraphQL document are nested deeper than `most` levels. Brackets in strings, block strings and comments do not
 * count, because the parser does not read them as brackets. A closing bracket without an opening one does not count either: the parser
 * refuses the document there.
 */
export function isNestedBeyond(text: string, most: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at)
    else if (character === '#') at = endOfLine(text, at)
    else if (character === '{' || character === '[' || character === '(') {
      depth++
      if (depth > most) return true
    } else if ((character === '}' || character === ']' || character === ')') && depth > 0) depth--
  }
  return false
}

/** The position of the last character of the string or block string that begins at a position. */
function endOfString(text: string, from: number): number {
  if (text.startsWith('"""', from)) return endOfBlockString(text, from + 3)
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

/** The position of the last quotation mark of a block string whose contents begin at a position. */
function endOfBlockString(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.startsWith('\\"""', at)) at += 3
    else if (text.startsWith('"""', at)) return at + 2
  }
  return text.length
}

/** The position of the last character of the line. */
function endOfLine(text: string, from: number): number {
  let at = from
  while (at + 1 < text.length && text[at + 1] !== '\n' && text[at + 1] !== '\r') at++
  return at
}
