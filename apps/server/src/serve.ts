import { once } from 'node:events'
import { FEATURE_LEVEL, UnknownEntryError } from '@gantt/scheduler-core'
import { ConfigError, readConfig } from './config.ts'
import { openDatabase } from './db/open-database.ts'
import { codeOf } from './embedded-postgres/error.ts'
import { PluginError } from './plugin/plugin-error.ts'
import { startText } from './replica/follow/start.ts'
import type { Service } from './service.ts'
import { settingsOf, unknownSettings } from './services/replica/settings.ts'
import { flushingText } from './sync/flushing.ts'
import { StoreSetupError, StoreUnavailableError } from './sync/synchronizer.ts'
import { terminalLine } from './terminal-line.ts'
import { StoppedError } from './wait-for-store.ts'

export type ServeOptions = {
  readonly environment?: NodeJS.ProcessEnv
  /** Prints progress and problems for people. */
  readonly say?: (line: string) => void
  /** Prints what callers need: the URL, and the admin key, which is shown only once. */
  readonly print?: (line: string) => void
}

/** Runs the service until it receives SIGINT or SIGTERM or its terminal is closed. If it cannot start, the process exits with 1. */
export async function serve({
  environment = process.env,
  say = toStandardError,
  print = toStandardOutput,
}: ServeOptions = {}): Promise<void> {
  await runService({
    environment,
    say,
    async use({ url, newAdminKey }, stopped) {
      if (newAdminKey !== undefined) print(`Admin key (shown once): ${newAdminKey}`)
      print(`The console is at ${new URL('/', url)}; sign in with an API key.`)
      print(`Gantt is ready at ${url}`)
      if (!stopped.aborted) await once(stopped, 'abort')
    },
  })
}

export type RunOptions = {
  readonly environment: NodeJS.ProcessEnv
  readonly say: (line: string) => void
  /** Set if the service needs the embedded database exclusively: the error that is reported if another process uses the database. */
  readonly aloneOr?: string
  /** The setting of the port, for the message if the port is in use. Absent: PORT. */
  readonly portSetting?: string
  /**
   * Called with the running service, which is closed when the returned promise settles. `stopped` is aborted by SIGINT, SIGTERM and SIGHUP.
   */
  use(service: Pick<Service, 'url' | 'newAdminKey'>, stopped: AbortSignal): Promise<void>
}

/**
 * Opens the database and the service, passes them to `use`, and closes both once `use` ends, with or without an error. An error is
 * reported, and the process exits with 1.
 */
export async function runService({ environment, say, aloneOr, portSetting = 'PORT', use }: RunOptions): Promise<void> {
  const stop = listenForStop()
  try {
    const config = readConfig(environment)
    const { dataDir, databaseUrl, ...settings } = config
    for (const sentence of unknownSettings(environment)) say(sentence)
    const { nats } = settings
    const opening = openDatabase({
      ...(databaseUrl === undefined ? {} : { databaseUrl }),
      ...(dataDir === undefined ? {} : { stateDir: dataDir }),
      alone: aloneOr !== undefined,
      isAwaited: nats === undefined,
      stopped: stop.signal,
      warn: say,
      onLost: () => say('The database ended; starting it again.'),
      onRecovered: (mode) => say(`The database is back (${mode}).`),
    })
    // loading the service takes about as long as the start of the database, so both happen at the same time
    const loading = import('./service.ts')
    // A failed import is reported below, where `loading` is awaited. By then the database is open, and can be closed.
    loading.catch(() => {})
    const database = await opening.catch((error: unknown) => {
      throw aloneOr !== undefined && codeOf(error) === 'postgres.in_use' ? new BusyError(aloneOr) : error
    })
    try {
      if (nats === undefined || database.mode !== 'external')
        say(`Database ready (${database.mode}, ${database.applied.length} migrations applied).`)
      const { openService } = await loading
      const service = await openService({
        connection: database.connection,
        ...settings,
        settings: settingsOf(environment, config),
        stopped: stop.signal,
        warn: say,
      })
      say(nats === undefined ? 'Log: stored in the database.' : `Log: stored in NATS at ${nats.servers.join(', ')}, fleet ${nats.fleet}.`)
      say(flushingText(service.replica.flushing))
      const { readsUpTo } = service.replica.fleet
      if (readsUpTo < FEATURE_LEVEL)
        say(`Feature level: limited to ${readsUpTo} by GANTT_FEATURE_LEVEL; this release reads ${FEATURE_LEVEL}.`)
      say(startText(service.replica.startFigures))
      try {
        await use(service, stop.signal)
        say(stop.signal.aborted ? `Stopping: ${stop.signal.reason}.` : 'Stopping.')
      } finally {
        await service.close()
      }
    } finally {
      await database.close()
    }
    say('Stopped.')
  } catch (error) {
    if (error instanceof StoppedError) return say(`Stopped: ${stop.signal.reason}, while ${error.message}`)
    say(explain(error, portSetting))
    process.exitCode = 1
  } finally {
    stop.forget()
  }
}

/** Thrown if another process uses the embedded database, which this process needs alone. */
class BusyError extends Error {
  override readonly name = 'BusyError'
}

const toStandardError = (line: string): void => void process.stderr.write(terminalLine(line))
const toStandardOutput = (line: string): void => void process.stdout.write(terminalLine(line))

/** The reason why the service could not start or continue, with a remedy if a likely one is known. */
function explain(error: unknown, portSetting: string): string {
  if (error instanceof ConfigError || error instanceof PluginError || error instanceof BusyError) return error.message
  if (error instanceof StoreSetupError || error instanceof StoreUnavailableError) return `The service could not start:\n${error.message}`
  if (error instanceof UnknownEntryError)
    return `The service could not start: ${error.message}. Start the release that the other replicas have, without GANTT_FEATURE_LEVEL where that holds it.`
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use. Stop what uses it, or set ${portSetting} to another one (0: any that is free).`
  if (code === 'EACCES' && port !== undefined)
    return `Port ${port} of ${address} may not be used by this account. Set ${portSetting} to one above 1023.`
  if (code === 'EADDRNOTAVAIL')
    return `${address} is not an address of this machine. Set HOST to an address of this machine, such as 127.0.0.1.`
  return `The service could not start: ${error instanceof Error ? (code === undefined ? (error.stack ?? message) : message) : String(error)}`
}

/**
 * Returns a signal that is aborted at the first stop signal of the system. Further ones are ignored, because npm can forward a signal that
 * has also reached this process directly.
 */
function listenForStop(): { readonly signal: AbortSignal; forget(): void } {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const controller = new AbortController()
  const stop = (name: NodeJS.Signals): void => controller.abort(name)
  for (const signal of signals) process.on(signal, stop)
  return {
    signal: controller.signal,
    forget: () => {
      for (const signal of signals) process.off(signal, stop)
    },
  }
}
