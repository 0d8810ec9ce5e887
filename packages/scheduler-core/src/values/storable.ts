/** True if every database can store the text unchanged, because it has no NUL and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && !/\p{Surrogate}/u.test(text)

/**
 * Replaces NUL and halves of surrogate pairs by the replacement character, so that every database can store the text. This is used for text
 * from outside, such as an error of a plug-in.
 */
export const toStorable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll('\u0000', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd')

/** Shortens a text to at most `most` characters, and makes it storable. A shortened text ends with three dots. */
export const shorten = (text: string, most: number): string => toStorable(text.length > most ? `${text.slice(0, most - 3)}...` : text)
