/**
 * Characters that are invisible or change how the text around them is shown: control and format characters, fillers, variation selectors,
 * separators, halves of surrogate pairs. The service refuses a document with such a character.
 */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]/gu

/**
 * Makes a text of a collector one line of visible characters: blanks and line ends become one blank, and other invisible characters become
 * `\u{...}` with their code point.
 */
export const plainText = (text: string): string =>
  text
    .replace(/[\s\u2028\u2029]+/g, ' ')
    .trim()
    .replace(UNSEEN, (found) => `\\u{${found.codePointAt(0)?.toString(16)}}`)

/** At most this many characters of a text, and three dots if it has more. No pair of surrogates is cut in two. */
export const cutText = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 3).replace(/[\ud800-\udbff]$/, '')}...` : text

/** Decodes UTF-8. Throws an error if the bytes are not UTF-8: a replacement character in their place would be another text. */
export function utf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Error('it is not UTF-8')
  }
}
