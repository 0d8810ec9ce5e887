/**
 * Characters that a name must not contain, since they are invisible or change how the text around them is shown: control characters (such
 * as line breaks and escapes of terminals), format characters (zero-width characters; marks, embeddings, overrides and isolates of
 * bidirectional text; soft hyphens; tags), other invisible characters (fillers, variation selectors, the empty Braille pattern), line and
 * paragraph separators, and halves of surrogate pairs.
 */
/** Visible format characters: signs of Arabic, Syriac and Kaithi around numbers. */
const SEEN = String.raw`[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]`
const UNSEEN = String.raw`(?!${SEEN})[\p{Cc}\p{Cs}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\u2800]`
const ANY_UNSEEN = new RegExp(UNSEEN, 'u')
/** An emoji with its invisible characters, which join several emojis into one, or select how it is drawn. */
const EMOJI_PART = String.raw`\p{Extended_Pictographic}\p{Emoji_Modifier}?[\uFE0E\uFE0F]?`
/** The flags of England, Scotland and Wales: a black flag with the invisible letters of the region. */
const REGION_FLAG = String.raw`\u{1F3F4}[\u{E0061}-\u{E007A}]{3,6}\u{E007F}`
const EMOJI = String.raw`${REGION_FLAG}|${EMOJI_PART}(?:\u200D${EMOJI_PART})*|[0-9#*]\uFE0F\u20E3`
const EACH = new RegExp(`(${EMOJI})|${UNSEEN}`, 'gu')

/** Replaces each invisible character of a text. */
export const replaceUnseen = (text: string, inPlaceOf: (found: string) => string): string =>
  ANY_UNSEEN.test(text) ? text.replace(EACH, (found, emoji: string | undefined) => emoji ?? inPlaceOf(found)) : text

/** Whether a text can be a name: each of its characters is visible, or belongs to a visible emoji. */
export const isPlain = (text: string): boolean => replaceUnseen(text, () => '') === text

/** The rule as the end of a sentence that begins with "it must". */
export const PLAIN_RULE =
  'be text without control characters, invisible characters (zero-width ones and controls of text direction among them) and halves of surrogate pairs'

/**
 * A text in displayable form. Invisible characters become `\u{...}` with their code point, except those in `kept`. Older data may contain
 * them.
 */
export const showUnseen = (text: string, kept = ''): string =>
  replaceUnseen(text, (found) => (kept.includes(found) ? found : `\\u{${found.codePointAt(0)?.toString(16)}}`))

/** A key or a text of a document that cannot be a name. */
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
 * Keys and texts of a document that cannot be names, at most `most` of them. `isFree` returns whether the text at a path is free text. The
 * path of a text ends with its key, and so does the path of the key itself. A loop in place of a recursion, so that no document exhausts
 * the stack.
 */
export function findUnplain(
  root: unknown,
  most: number,
  isFree: (path: readonly string[], what: 'key' | 'text') => boolean = () => false,
): UnplainSpot[] {
  const spots: UnplainSpot[] = []
  const add = (spot: Spot, what: 'key' | 'text', found: string): void => {
    const path = pathOf(spot)
    if (!isFree(path, what)) spots.push({ path, found })
  }
  const waiting: Spot[] = [{ value: root, key: '', parent: undefined }]
  for (let next = waiting.pop(); next !== undefined && spots.length < most; next = waiting.pop()) {
    const { value, key } = next
    if (!isPlain(key)) add(next, 'key', key)
    if (typeof value === 'string' && !isPlain(value)) add(next, 'text', value)
    if (value === null || typeof value !== 'object') continue
    const isList = Array.isArray(value)
    // Numbers in a list have neither a key nor a text, and are the largest part of a report.
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
