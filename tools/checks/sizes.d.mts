/** The path of a file relative to the checkout, and its text. */
export interface SourceFile {
  readonly file: string
  readonly text: string
}

/** Matches the names of files that are checked as sources. */
export const SOURCE: RegExp

/** All sources of the checkout. */
export function sourceFiles(): SourceFile[]

/**
 * The files and folders that are too large, as sentences. Without files, those of the checkout. If files are given, only the listed long
 * functions of these files are checked.
 */
export function tooLarge(files?: readonly SourceFile[]): string[]
