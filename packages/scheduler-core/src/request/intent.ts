/** The purpose of a request. PROBE and REBUILD claim nothing; CREATE and UNSHELVE claim resources; the others move a claim. */
export const intents = ['CREATE', 'RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE', 'UNSHELVE', 'REBUILD', 'PROBE'] as const
export type Intent = (typeof intents)[number]
