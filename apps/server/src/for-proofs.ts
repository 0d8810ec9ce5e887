/**
 * The entry point for packages/proofs: the parts of a replica, which packages/proofs runs in simulations. No other package may import this
 * file.
 */

export { type Driver, type Prepared, type Session, toStoreError } from './db/session.ts'
export { noDocuments } from './plugin/outside/documents.ts'
export { startText } from './replica/follow/start.ts'
export type { PlacementCall, PlacementOutcome } from './replica/propose/placement.ts'
export { Replica } from './replica/replica.ts'
export { type Claims, createClaims } from './services/claim/claims.ts'
export { createGroups, type Groups } from './services/group/groups.ts'
export { createHosts, type Hosts } from './services/host/hosts.ts'
export { createLeaving, type Leaving } from './services/host/leaving.ts'
export { createStats, type Stats } from './services/stats/stats.ts'
export { openOn } from './sync/postgres/postgres.ts'
export { StoreUnavailableError } from './sync/synchronizer.ts'
export type { Timers } from './timers.ts'
export { UnavailableError } from './unavailable.ts'
