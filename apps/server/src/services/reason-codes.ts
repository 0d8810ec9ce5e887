import { nearSpellings, reasonCodes } from '@gantt/scheduler-core'

/** What to say of a word that is asked for as the code of a reason and is none. */
export function noSuchReason(word: string): string {
  const near = nearSpellings(word, reasonCodes)
  return `no reason has the code ${word}; ${near.length > 0 ? `near it are ${near.join(', ')}` : 'docs/errors.md lists all'}`
}
