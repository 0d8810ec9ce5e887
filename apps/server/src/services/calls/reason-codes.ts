import { nearSpellings, reasonCodes } from '@gantt/scheduler-core'

/** The message for a word in an argument that expects a reason code, if no reason has that code. */
export function noSuchReason(word: string): string {
  const near = nearSpellings(word, reasonCodes)
  return `no reason has the code ${word}; ${near.length > 0 ? `similar codes are ${near.join(', ')}` : 'docs/errors.md lists all'}`
}
