/** Whether every store keeps the text unchanged: no NUL, no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && !/\p{Surrogate}/u.test(text)

/**
 * The text in a form that every store keeps: other characters become the replacement character. For text from outside, such as an error of
 * a plug-in.
 */
export const toStorable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll('\u0000', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd')

/** At most so many characters, the last three of them dots where there were more, and storable. */
export const shorten = (text: string, most: number): string => toStorable(text.length > most ? `${text.slice(0, most - 3)}...` : text)
