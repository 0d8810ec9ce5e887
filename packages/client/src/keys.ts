import { KeySourceError } from './errors.ts'
import type { HiddenKeys } from './hidden-keys.ts'

/**
 * An API key, or a function that reads it, for example from a file or a vault. The function is called before the first call, and again each
 * time the service refuses the present key. Therefore, a key can be replaced while the program runs.
 */
export type KeySource = string | (() => string | Promise<string>)

export interface Keyring {
  /** Returns the present key. Undefined if the client has no key. */
  present(): Promise<string | undefined>
  /**
   * Reads the key again after the service refused the key `refused`. Undefined if the source still returns the refused key, or if it is not
   * a function.
   */
  insteadOf(refused: string | undefined): Promise<string | undefined>
}

/**
 * Creates a keyring. All keys are added to `hidden`. The keyring caches the key that the source returned. If several calls are refused at the same time, the source is read once.
 */
export function createKeyring(source: KeySource | undefined, hidden: HiddenKeys): Keyring {
  if (typeof source !== 'function') {
    if (source !== undefined) hidden.add(source)
    return { present: async () => source, insteadOf: async () => undefined }
  }
  let kept: Promise<string> | undefined
  const ask = (): Promise<string> => {
    const answer = Promise.resolve()
      .then(source)
      .catch((error: unknown) => {
        throw new KeySourceError(hidden.inError(error))
      })
      .then((key) => {
        hidden.add(key)
        return key
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
      // If another call has begun to read the source again, its result is awaited.
      const next = await (kept === before && known === refused ? ask() : (kept ?? ask()))
      return next === refused ? undefined : next
    },
  }
}
