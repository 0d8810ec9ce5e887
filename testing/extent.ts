// The environment variable GANTT_TEST_ALL says how much the tests do: `npm test` runs their short form, where it is empty or 0;
// `npm run test:all` sets 1 and runs their long form; with `laws` each law is tried as often as the documents state, which takes an hour or
// more.

const extent = process.env.GANTT_TEST_ALL ?? ''

export const isLongForm: boolean = !['', '0'].includes(extent)

const triesLaws = extent === 'laws'

/** The end of the name of a test that runs in the long form only; empty in that form. */
export const longFormNote: string = isLongForm ? '' : ' [skipped: in the long form only (npm run test:all)]'

/** One of three numbers: for the short form, for the long form, and for GANTT_TEST_ALL=laws if that is given. */
export function byExtent<Value>(short: Value, long: Value, laws: Value = long): Value {
  if (triesLaws) return laws
  return isLongForm ? long : short
}

/**
 * Settings for a fast-check property that counts which cases its draws have covered. The seed is fixed, so that the draws are known to
 * cover them; GANTT_TEST_ALL=laws draws anew, and often enough to cover them all.
 */
export function draws(short: number, long: number, laws: number, seed = 1): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = byExtent(short, long, laws)
  return triesLaws ? { numRuns } : { numRuns, seed }
}
