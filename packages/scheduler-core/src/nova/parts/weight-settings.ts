import { readFloat } from '../../text/numbers.ts'

/**
 * Parses the `name=ratio` entries of an option as Nova does. An entry is split at its first `=`. Entries without `=`, without a name or
 * with an invalid ratio are left out.
 */
export function readSettings(entries: readonly string[]): readonly { readonly name: string; readonly ratio: number }[] {
  return entries.flatMap((entry) => {
    const split = entry.indexOf('=')
    const ratio = readFloat(entry.slice(split + 1))
    return split > 0 && ratio !== undefined ? [{ name: entry.slice(0, split), ratio }] : []
  })
}
