export { EmbeddedPostgresError, type EmbeddedPostgresErrorCode } from './error.ts'
export type { Departure } from './owner.ts'
export { type EmbeddedPostgres, type EmbeddedPostgresOptions, type PostgresConnection, startEmbeddedPostgres } from './start.ts'
export { defaultStateDir } from './state-dir.ts'
