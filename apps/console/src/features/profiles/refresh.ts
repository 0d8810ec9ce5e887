/** The interval of reads, after which steps of others and new counts of a rollout are shown, milliseconds. */
export const REFRESH_MS = 10_000
