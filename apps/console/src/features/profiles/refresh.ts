/** Steps of others, and what a rollout has counted, show by themselves after so long, milliseconds. */
export const REFRESH_MS = 10_000
