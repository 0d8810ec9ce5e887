import { KeySourceError } from './errors.ts'

/**
 * A key, or a function that reads it, for example from a file or a vault. The function is called before the first call, and again whenever
 * the service refuses the last key, so that a key can be replaced while the program runs.
 */
export type KeySource = string | (() => string | Promise<string>)

export interface Keyring {
  present(): Promise<string | undefined>
  /** Reads the key again after the service refused one. Undefined if the source still returns the refused key. */
  insteadOf(refused: string | undefined): Promise<string | undefined>
}

/** Caches the last key of the source. Calls that are refused at the same time read the source only once. */
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
      // calls that were refused at the same time wait for one read
      const next = await (kept === before && known === refused ? ask() : (kept ?? ask()))
      return next === refused ? undefined : next
    },
  }
}
