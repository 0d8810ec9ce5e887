/**
 * This file finds characters that a name must not contain, because they are invisible or change how the text around them is shown. These
 * are control characters, format characters (zero-width characters, controls of text direction, soft hyphens, tags), other invisible
 * characters (fillers, variation selectors, the empty Braille pattern), line and paragraph separators, and halves of surrogate pairs.
 */
/** Format characters that are visible: Arabic, Syriac and Kaithi signs around numbers. Names can contain them. */
const SEEN = String.raw`[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]`
const UNSEEN = String.raw`(?!${SEEN})[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]`
const ANY_UNSEEN = new RegExp(UNSEEN, 'u')
/** An emoji, followed by a skin tone and a variation selector if present. */
const EMOJI_PART = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\uFE0E\uFE0F]?`
/** The flags of England, Scotland and Wales: a black flag that is followed by invisible letters of the region. */
const REGION_FLAG = String.raw`\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}`
const EMOJI = String.raw`${REGION_FLAG}|${EMOJI_PART}(?:\u200D${EMOJI_PART})*|[0-9#*]\uFE0F\u20E3`
const EACH = new RegExp(`(${EMOJI})|${UNSEEN}`, 'gu')

/** Replaces each invisible character of a text by the result of `inPlaceOf`. Invisible characters inside emojis stay. */
export const replaceUnseen = (text: string, inPlaceOf: (found: string) => string): string =>
  ANY_UNSEEN.test(text) ? text.replace(EACH, (found, emoji: string | undefined) => emoji ?? inPlaceOf(found)) : text

/** True if a text can be a name: each of its characters is visible or part of a visible emoji. */
export function isPlain(text: string): boolean {
  if (!ANY_UNSEEN.test(text)) return true
  for (const [, emoji] of text.matchAll(EACH)) if (emoji === undefined) return false
  return true
}

/** The rule of `isPlain` as the end of a sentence that begins with "it must". */
export const PLAIN_RULE =
  'be text without control characters, invisible characters (including zero-width characters and controls of text direction) and halves of surrogate pairs'

/**
 * Makes the invisible characters of a text visible as `\u{...}` with their code point, except the characters in `kept`. Data that older
 * releases stored can contain invisible characters.
 */
export const showUnseen = (text: string, kept = ''): string =>
  replaceUnseen(text, (found) => (kept.includes(found) ? found : `\\u{${found.codePointAt(0)?.toString(16)}}`))

/** A key or a text in a document that cannot be a name (`isPlain`). */
export interface UnplainSpot {
  readonly path: readonly string[]
  readonly found: string
}

interface Spot {
  readonly value: unknown
  readonly key: string
  readonly parent: Spot | undefined
}

/**
 * Finds the keys and texts of a document that cannot be names (`isPlain`), at most `most` of them. Keys and texts for which `isFree`
 * returns true are skipped. A field of the root that is free for both keys and texts is not searched at all. The path of a key and the path
 * of its value both end with the key. The search is a loop, because a recursion could exhaust the stack.
 */
export function findUnplain(
  root: unknown,
  most: number,
  isFree: (path: readonly string[], what: 'key' | 'text') => boolean = () => false,
): UnplainSpot[] {
  const spots: UnplainSpot[] = []
  const add = (spot: Spot, what: 'key' | 'text', found: string): void => {
    if (!ANY_UNSEEN.test(found)) return
    const path = pathOf(spot)
    if (!isFree(path, what) && !isPlain(found)) spots.push({ path, found })
  }
  const start: Spot = { value: root, key: '', parent: undefined }
  const isFreeField = ({ key, parent }: Spot): boolean => parent === start && isFree([key], 'key') && isFree([key], 'text')
  const waiting: Spot[] = [start]
  for (let next = waiting.pop(); next !== undefined && spots.length < most; next = waiting.pop()) {
    if (isFreeField(next)) continue
    const { value, key } = next
    add(next, 'key', key)
    if (typeof value === 'string') add(next, 'text', value)
    if (value === null || typeof value !== 'object') continue
    const isList = Array.isArray(value)
    // Numbers in a list have neither a key nor text. They are skipped because most values of a report are such numbers.
    for (const [inner, item] of Object.entries(value).reverse())
      if (!isList || typeof item === 'string' || typeof item === 'object') waiting.push({ value: item, key: inner, parent: next })
  }
  return spots.slice(0, most)
}

function pathOf(spot: Spot): readonly string[] {
  const path: string[] = []
  for (let at = spot; at.parent !== undefined; at = at.parent) path.push(at.key)
  return path.reverse()
}
