import { ConfigError, readConfig } from './config.ts'
import { openDatabase } from './db/open-database.ts'
import { codeOf } from './embedded-postgres/error.ts'
import type { ChangeReport, ChangeStep } from './engine-change/engine-change.ts'
import { EngineChangeError } from './engine-change/error.ts'
import { type EngineName, engines } from './engine-change/record.ts'
import { parseNatsAddress } from './sync/nats/address.ts'

export interface MigrateSyncOptions {
  /** DATABASE_URL or GANTT_DATA_DIR, GANTT_SYNC and GANTT_RECORDS_BYTES, as the service reads them. */
  readonly environment: NodeJS.ProcessEnv
  /** `from` and `to` are each `postgres`, `nats` (the URL in GANTT_SYNC) or a URL in the form of GANTT_SYNC. */
  readonly from: string
  readonly to: string
  /** If true, the logs are checked and their digests are computed, and nothing is changed. */
  readonly isDry: boolean
  onStep(step: ChangeStep): void
  onCopied(entries: number): void
  warn(message: string): void
}

/**
 * Moves the log and the other stores from one engine to another. Throws ConfigError for invalid settings, EngineChangeError if the change
 * is not possible, StoreUnavailableError and StoreSetupError of either store.
 */
export async function migrateSync(options: MigrateSyncOptions): Promise<ChangeReport> {
  return withEngines(options, async (parts) => (await import('./engine-change/engine-change.ts')).changeEngine({ ...options, ...parts }))
}

/** Cancels a change that is not complete. Replicas may then start on the old engine again. */
export async function abandonMigration(options: Omit<MigrateSyncOptions, 'isDry'>): Promise<void> {
  return withEngines(options, async (parts) => (await import('./engine-change/engine-change.ts')).abandonChange({ ...options, ...parts }))
}

type Parts = Pick<
  Parameters<typeof import('./engine-change/engine-change.ts').changeEngine>[0],
  'connection' | 'nats' | 'to' | 'recordBytes'
>

async function withEngines<T>(
  { environment, from, to }: Pick<MigrateSyncOptions, 'environment' | 'from' | 'to'>,
  work: (parts: Parts) => Promise<T>,
): Promise<T> {
  const { engine, sync } = readEnds(from, to, environment)
  const { databaseUrl, dataDir, nats, recordBytes } = readConfig({ ...environment, GANTT_SYNC: sync })
  if (nats === undefined) throw new ConfigError([`GANTT_SYNC must be an address of NATS if --from or --to is nats.`])
  const database = await openDatabase({
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    ...(dataDir === undefined ? {} : { stateDir: dataDir }),
    alone: true,
  }).catch((error: unknown) => {
    if (codeOf(error) !== 'postgres.in_use') throw error
    throw new EngineChangeError('engine.in_use', 'another process uses the embedded database; stop every service on it')
  })
  try {
    return await work({ connection: database.connection, nats, to: engine, recordBytes })
  } finally {
    await database.close()
  }
}

/** Parses both ends of a change: one must be PostgreSQL and the other NATS. */
function readEnds(from: string, to: string, { GANTT_SYNC }: NodeJS.ProcessEnv): { readonly engine: EngineName; readonly sync: string } {
  const problems: string[] = []
  const read = (option: string, text: string): EngineName | undefined => {
    const engine = engines.find((name) => name === text) ?? (parseNatsAddress(text) === undefined ? undefined : 'nats')
    // a URL can contain a password, so it is not shown
    if (engine === undefined) problems.push(`${option} must be postgres, nats, or an address such as nats://a,b,c.`)
    return engine
  }
  const [source, target] = [read('--from', from), read('--to', to)]
  if (source !== undefined && source === target) problems.push(`--from and --to are both ${source}; one must be postgres, and one nats.`)
  const end = source === 'nats' ? from : to
  if (end === 'nats' && parseNatsAddress(GANTT_SYNC ?? '') === undefined)
    problems.push('GANTT_SYNC must be the address of NATS if --from or --to is only nats, without an address.')
  if (problems.length > 0 || target === undefined) throw new ConfigError(problems)
  return { engine: target, sync: end === 'nats' ? (GANTT_SYNC ?? '') : end }
}
