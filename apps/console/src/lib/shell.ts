/** As one word for a shell; plain words stay plain. */
export const quoteForShell = (text: string): string => (/^[\w./:@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
