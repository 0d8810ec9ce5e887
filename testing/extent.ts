// How much the tests do, by the environment variable GANTT_TEST_ALL: `npm test` runs their short form, where it is empty or 0;
// `npm run test:all` sets 1 and runs their long form; with `laws` laws are tried as often as the documents state, for an hour and more.

const extent = process.env.GANTT_TEST_ALL ?? ''

export const isLongForm: boolean = !['', '0'].includes(extent)

const triesLaws = extent === 'laws'

/** For the end of the name of a test that runs in the long form only. Empty there. */
export const longFormNote: string = isLongForm ? '' : ' [skipped: in the long form only (npm run test:all)]'

/** So much in the short form, so much in the long one, and so much with GANTT_TEST_ALL=laws, where that is more. */
export function byExtent<Value>(short: Value, long: Value, laws: Value = long): Value {
  if (triesLaws) return laws
  return isLongForm ? long : short
}

/**
 * Settings of a property of fast-check that counts what its draws have met: always the same draws, of which it is known that they meet
 * it, but for GANTT_TEST_ALL=laws, which draws anew, and so much that it meets everything.
 */
export function draws(short: number, long: number, laws: number, seed = 1): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = byExtent(short, long, laws)
  return triesLaws ? { numRuns } : { numRuns, seed }
}
