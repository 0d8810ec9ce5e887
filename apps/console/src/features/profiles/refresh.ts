/**
 * The interval in milliseconds at which the pages of profiles read their data again, to show steps of other operators and new counts of a
 * rollout.
 */
export const REFRESH_MS = 10_000
