// How much the tests do: `npm test` runs their short form; `npm run test:all` sets GANTT_TEST_ALL=1 and runs all of it.

export const isLongForm: boolean = !['', '0'].includes(process.env.GANTT_TEST_ALL ?? '')

/** For the end of the name of a test that runs in the long form only. Empty there. */
export const longFormNote: string = isLongForm ? '' : ' [skipped: in the long form only (npm run test:all)]'

/** So much in the short form, and so much in the long one. */
export const byExtent = <Value>(short: Value, long: Value): Value => (isLongForm ? long : short)
