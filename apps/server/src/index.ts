/** The only entry point of the server: the command line uses it for `gantt serve`, and for work on a database without a service. */
export { ConfigError } from './config.ts'
export { type Database, openDatabase } from './db/open-database.ts'
export {
  countSynchronous,
  defaultStateDir,
  type EmbeddedPostgres,
  makeStandby,
  promote,
  REPLICATED,
  startEmbeddedPostgres,
  waitForStandbys,
} from './embedded-postgres/index.ts'
export { findPostmaster } from './embedded-postgres/postmaster.ts'
export { openStateDir } from './embedded-postgres/state-dir.ts'
export { EngineChangeError } from './engine-change/error.ts'
export { freePorts, isFreePort } from './free-ports.ts'
export { measurePauses, type Pauses } from './measure-pauses.ts'
export { abandonMigration, type MigrateSyncOptions, migrateSync } from './migrate-sync.ts'
export { createNatsChild, type NatsChild } from './nats-server/child.ts'
export { findNatsServer, INSTALL_NATS_SERVER } from './nats-server/find.ts'
export {
  drawNatsPorts,
  NatsNotReadyError,
  type NatsPorts,
  type NatsServer,
  type NatsServers,
  prepareNatsServers,
} from './nats-server/nats-servers.ts'
export { lookAt, type Raft, type View } from './nats-server/view.ts'
export type { Verification } from './replica/follow/verify.ts'
export { type RunOptions, runService, type ServeOptions, serve } from './serve.ts'
export { StoreSetupError, StoreUnavailableError } from './sync/synchronizer.ts'
export { verifyStoredDecisions } from './verify-stored-decisions.ts'
