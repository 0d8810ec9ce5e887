/** Whether every store keeps the text as it is: no NUL, no half of a surrogate pair. */
export const isStorable = (text: string): boolean => !text.includes('\u0000') && !/\p{Surrogate}/u.test(text)

/** The text as every store keeps it: what none keeps is the replacement character. For words of others, such as what a plug-in threw. */
export const toStorable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll('\u0000', '\ufffd').replaceAll(/\p{Surrogate}/gu, '\ufffd')

/** At most so many characters, the last three of them dots where there were more, and storable. */
export const shorten = (text: string, most: number): string => toStorable(text.length > most ? `${text.slice(0, most - 3)}...` : text)
