/** The files and folders that are too large, as sentences. Without files, those of the checkout. */
export function tooLarge(files?: readonly { readonly file: string; readonly text: string }[]): string[]
