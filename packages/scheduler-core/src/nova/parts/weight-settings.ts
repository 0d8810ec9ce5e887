import { readFloat } from '../../text/numbers.ts'

/**
 * `name=ratio` entries of an option, as Nova reads them: split at the first `=`; an entry without one, without a name or with an invalid
 * ratio is left out.
 */
export function readSettings(entries: readonly string[]): readonly { readonly name: string; readonly ratio: number }[] {
  return entries.flatMap((entry) => {
    const split = entry.indexOf('=')
    const ratio = readFloat(entry.slice(split + 1))
    return split > 0 && ratio !== undefined ? [{ name: entry.slice(0, split), ratio }] : []
  })
}
