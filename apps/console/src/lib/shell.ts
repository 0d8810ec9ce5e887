/** Quotes a text for a shell. Plain words are unchanged. */
export const quoteForShell = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
