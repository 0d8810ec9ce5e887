import { KeySourceError } from './errors.ts'

/**
 * A key, or its source, such as a file or a vault. A source is read before the first call, and again whenever the
 * service refuses its last key, so that a key can be replaced while the program runs.
 */
export type KeySource = string | (() => string | Promise<string>)

export interface Keyring {
  present(): Promise<string | undefined>
  /** The key to use instead of one that the service refused; undefined if the source still returns that one. */
  insteadOf(refused: string | undefined): Promise<string | undefined>
}

/** Caches the last key of the source. Calls that are refused together read the source once. */
export function createKeyring(source: KeySource | undefined): Keyring {
  if (typeof source !== 'function') return { present: async () => source, insteadOf: async () => undefined }
  let kept: Promise<string> | undefined
  const ask = (): Promise<string> => {
    const answer = Promise.resolve()
      .then(source)
      .catch((error: unknown) => {
        throw new KeySourceError(error)
      })
    kept = answer
    answer.catch(() => {
      if (kept === answer) kept = undefined
    })
    return answer
  }
  return {
    present: () => kept ?? ask(),
    async insteadOf(refused) {
      const before = kept
      const known = await before
      // calls that were refused together wait for the same read
      const next = await (kept === before && known === refused ? ask() : (kept ?? ask()))
      return next === refused ? undefined : next
    },
  }
}
