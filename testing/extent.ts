/**
 * Whether the tests run in their long form: `npm run test:all` sets GANTT_TEST_ALL=1. Without it, simulations and properties make fewer
 * runs, and the slowest repetitions of a check stay out.
 */
export const isLongForm: boolean = (process.env.GANTT_TEST_ALL ?? '') !== '' && process.env.GANTT_TEST_ALL !== '0'

/** So many in `npm test`, and so many in the long form. */
export const byExtent = (short: number, long: number): number => (isLongForm ? long : short)
