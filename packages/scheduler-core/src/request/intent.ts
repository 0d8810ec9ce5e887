/** The purpose of a request. CREATE and UNSHELVE make a claim, PROBE and REBUILD make no claim, and all other intents move a claim. */
export const intents = ['CREATE', 'RESIZE', 'LIVE_MIGRATE', 'COLD_MIGRATE', 'EVACUATE', 'UNSHELVE', 'REBUILD', 'PROBE'] as const
export type Intent = (typeof intents)[number]

/** True if an instance must leave its host with this intent. A resize may stay on its host. */
export const mustLeave = (intent: Intent): boolean => intent === 'LIVE_MIGRATE' || intent === 'COLD_MIGRATE' || intent === 'EVACUATE'
