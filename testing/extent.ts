// The environment variable GANTT_TEST_ALL determines how much the tests do. `npm test` leaves it empty, or 0, and runs their short form.
// `npm run test:all` sets 1 and runs their long form. With `laws`, each law is tried as often as the documents state, which takes an hour
// or more.

const extent = process.env.GANTT_TEST_ALL ?? ''

export const isLongForm: boolean = !['', '0'].includes(extent)

const triesLaws = extent === 'laws'

/** A suffix for the titles of tests that run only in the long form. It states why they are skipped. Empty in the long form. */
export const longFormNote: string = isLongForm ? '' : ' [skipped: in the long form only (npm run test:all)]'

/** Returns one of three values: for the short form, for the long form, and for GANTT_TEST_ALL=laws. */
export function byExtent<Value>(short: Value, long: Value, laws: Value = long): Value {
  if (triesLaws) return laws
  return isLongForm ? long : short
}

/**
 * Settings for a fast-check property that counts which cases its draws have covered. The seed is fixed, and the draws with it are known to
 * cover all cases. With GANTT_TEST_ALL=laws the seed is random, and the draws are numerous enough to cover all cases.
 */
export function draws(short: number, long: number, laws: number, seed = 1): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = byExtent(short, long, laws)
  return triesLaws ? { numRuns } : { numRuns, seed }
}
