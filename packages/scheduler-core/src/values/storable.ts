/** Whether every database stores the text unchanged: it has no NUL and no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && !/\p{Surrogate}/u.test(text)

/**
 * The text in a form that every database can store. Characters that some database cannot store become the replacement character. It is used
 * for text from outside, such as an error of a plug-in.
 */
export const toStorable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll('\u0000', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd')

/** At most this many characters, in storable form. A longer text ends with three dots. */
export const shorten = (text: string, most: number): string => toStorable(text.length > most ? `${text.slice(0, most - 3)}...` : text)
