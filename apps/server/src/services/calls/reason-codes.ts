import { nearSpellings, reasonCodes } from '@gantt/scheduler-core'

/** The message for a word that is given as a reason code but is not one. */
export function noSuchReason(word: string): string {
  const near = nearSpellings(word, reasonCodes)
  return `no reason has the code ${word}; ${near.length > 0 ? `similar codes are ${near.join(', ')}` : 'docs/errors.md lists all'}`
}
