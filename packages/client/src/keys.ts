import { KeySourceError } from './errors.ts'

/**
 * A key, or its source: a file, a vault. A source is read before the first call, and again whenever the service does
 * not know its last answer any longer, so that a key can be replaced while the program runs.
 */
export type KeySource = string | (() => string | Promise<string>)

export interface Keyring {
  present(): Promise<string | undefined>
  /** The key to use instead of one that the service refused; undefined where the source still answers that one. */
  insteadOf(refused: string | undefined): Promise<string | undefined>
}

/** Keeps what the source answered last. Calls that are refused together ask it once. */
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
      // those who were refused together wait for the one answer
      const next = await (kept === before && known === refused ? ask() : (kept ?? ask()))
      return next === refused ? undefined : next
    },
  }
}
