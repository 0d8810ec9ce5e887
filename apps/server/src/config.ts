import { DEFAULT_UNLISTED_AFTER_MS, FEATURE_LEVEL } from '@gantt/scheduler-core'
import { livenessSources } from './liveness/liveness-source.ts'
import { DEFAULT_PLUGIN_TIMEOUT_MS, MAX_PLUGIN_TIMEOUT_MS, MAX_PLUGINS, type PluginSetting, readPluginSettings } from './plugin/settings.ts'
import { DEFAULT_RECORD_BYTES } from './stores/records.ts'
import { type SharedFlush, sharedFlushSettings } from './sync/flushing.ts'
import { NATS_RULE, type NatsAddress, parseNatsAddress } from './sync/nats/address.ts'
import { DEFAULT_HORIZON, type Horizon } from './sync/retention.ts'

/** Settings of the service, from the environment. */
export interface Config {
  readonly host: string
  /** The port; 0: any free port. */
  readonly port: number
  /** The folder of the embedded database and its files; undefined for the default folder. */
  readonly dataDir: string | undefined
  /** The URL of an operator's own PostgreSQL server; undefined: the embedded server is used. */
  readonly databaseUrl: string | undefined
  /** An admin key that is used instead of a generated key. */
  readonly adminKey: string | undefined
  /** The retention limits of the log. */
  readonly horizon: Horizon
  readonly liveness: LivenessSettings
  /** How long a host's list of instances may lag behind the claims before the auditor reports a finding, in milliseconds. */
  readonly unlistedAfterMs: number
  /**
   * The highest feature level that this replica supports, announces to other replicas and writes: the level of the release, or a lower
   * level while some replicas run an older release.
   */
  readonly featureLevel: number
  /** The NATS cluster that stores the log; undefined: PostgreSQL stores it. */
  readonly nats: NatsAddress | undefined
  /** The maximum size in bytes of data that waits in NATS for the database. */
  readonly recordBytes: number
  /** `on`: one flush to the disk serves all waiting calls. `off`: each call is flushed separately. `auto`: depends on the measured disk. */
  readonly sharedFlush: SharedFlush
  /** Plug-ins that are loaded in addition to those of the release. */
  readonly plugins: readonly PluginSetting[]
  /** The timeout of a plug-in or extender, milliseconds. */
  readonly pluginTimeoutMs: number
  /** A file that describes extenders; undefined: there are none. */
  readonly extenders: string | undefined
}

/** How the service determines whether hosts are alive. */
export interface LivenessSettings {
  /** The name of a source: static, reports, or the lease provider of a plug-in. */
  readonly source: string
  readonly suspectAfterMs: number
  readonly downAfterMs: number
}

export const DEFAULT_LIVENESS: LivenessSettings = { source: 'static', suspectAfterMs: 60_000, downAfterMs: 180_000 }

export const DEFAULT_PORT = 4400

/** Thrown if settings cannot be used. The message lists every problem. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** Reads and checks every setting. Throws ConfigError with all problems at once. */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  const problems: string[] = []
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined
  const check = (name: string, isRight: boolean, rule: string, { isSecret = false } = {}): void => {
    const shown = isSecret ? undefined : JSON.stringify(text(name))
    if (!isRight) problems.push(`${name} ${shown === undefined ? '' : `is ${shown}; it `}must be ${rule}.`)
  }

  const port = text('PORT') ?? String(DEFAULT_PORT)
  check('PORT', /^\d{1,5}$/.test(port) && Number(port) <= 65_535, 'a port, 0 to 65535 (0: any that is free)')
  const host = text('HOST') ?? '127.0.0.1'
  check('HOST', /^[A-Za-z0-9.:_-]{1,253}$/.test(host), 'a host name or an address')
  const dataDir = text('GANTT_DATA_DIR')
  check('GANTT_DATA_DIR', dataDir === undefined || !dataDir.includes('\u0000'), 'a folder')
  const databaseUrl = text('DATABASE_URL')
  // the URL can contain a password, so it is not shown
  check('DATABASE_URL', databaseUrl === undefined || /^postgres(ql)?:\/\/./.test(databaseUrl), 'a URL that begins with postgresql://', {
    isSecret: true,
  })
  const adminKey = text('GANTT_ADMIN_KEY')
  check(
    'GANTT_ADMIN_KEY',
    adminKey === undefined || /^[\x21-\x7e]{16,512}$/.test(adminKey),
    '16 to 512 printable characters without spaces',
    { isSecret: true },
  )
  const days = text('GANTT_LOG_DAYS') ?? String(DEFAULT_HORIZON.days)
  check('GANTT_LOG_DAYS', /^\d{1,5}$/.test(days) && Number(days) >= 1, 'a whole number of days, 1 to 99999')
  const bytes = text('GANTT_LOG_BYTES') ?? String(DEFAULT_HORIZON.bytes)
  check('GANTT_LOG_BYTES', /^\d{7,15}$/.test(bytes), 'a whole number of bytes, 1000000 or more')
  const recordBytes = text('GANTT_RECORDS_BYTES') ?? String(DEFAULT_RECORD_BYTES)
  check('GANTT_RECORDS_BYTES', /^\d{7,15}$/.test(recordBytes), 'a whole number of bytes, 1000000 or more')
  const source = text('GANTT_LIVENESS') ?? DEFAULT_LIVENESS.source
  const plugins = readPluginSettings(text('GANTT_PLUGINS'))
  const isOwn = livenessSources.some((known) => known === source)
  const mayBeProvided = plugins.length > 0 && /^[a-z0-9][a-z0-9-]{0,62}$/.test(source)
  check('GANTT_LIVENESS', isOwn || mayBeProvided, `one of ${livenessSources.join(', ')}, or a lease provider of a plug-in of GANTT_PLUGINS`)
  const seconds = (name: string, otherwiseMs: number): number => {
    const given = text(name)
    check(name, given === undefined || /^[1-9]\d{0,4}$/.test(given), 'whole seconds, 1 to 99999')
    return given === undefined ? otherwiseMs : Number(given) * 1_000
  }
  const suspectAfterMs = seconds('GANTT_SUSPECT_AFTER', DEFAULT_LIVENESS.suspectAfterMs)
  const downAfterMs = seconds('GANTT_DOWN_AFTER', Math.max(DEFAULT_LIVENESS.downAfterMs, 3 * suspectAfterMs))
  check('GANTT_DOWN_AFTER', !(downAfterMs <= suspectAfterMs), `more than GANTT_SUSPECT_AFTER (${suspectAfterMs / 1_000})`)
  const liveness = { source, suspectAfterMs, downAfterMs }
  const unlistedAfterMs = seconds('GANTT_UNLISTED_AFTER', DEFAULT_UNLISTED_AFTER_MS)
  const level = text('GANTT_FEATURE_LEVEL') ?? String(FEATURE_LEVEL)
  const isLevel = /^[1-9]\d{0,4}$/.test(level) && Number(level) <= FEATURE_LEVEL
  check('GANTT_FEATURE_LEVEL', isLevel, `a feature level that this release reads, 1 to ${FEATURE_LEVEL}`)
  const sync = text('GANTT_SYNC') ?? 'postgres'
  const nats = sync === 'postgres' ? undefined : parseNatsAddress(sync)
  // the URL can contain a password, so it is not shown
  check('GANTT_SYNC', sync === 'postgres' || nats !== undefined, `postgres, or ${NATS_RULE}`, { isSecret: true })
  const sharedFlush = text('GANTT_SHARED_FLUSH') ?? 'auto'
  const isSetting = (name: string): name is SharedFlush => sharedFlushSettings.some((known) => known === name)
  check('GANTT_SHARED_FLUSH', isSetting(sharedFlush), 'auto, on or off')
  const isNamed = plugins.every(({ from }) => from !== '') && plugins.length <= MAX_PLUGINS
  check(
    'GANTT_PLUGINS',
    isNamed,
    `at most ${MAX_PLUGINS} names of packages or paths with commas between them, each behind trusted: or alone`,
  )
  const pluginTimeout = text('GANTT_PLUGIN_TIMEOUT_MS') ?? String(DEFAULT_PLUGIN_TIMEOUT_MS)
  const pluginTimeoutMs = /^\d{1,6}$/.test(pluginTimeout) ? Number(pluginTimeout) : 0
  check(
    'GANTT_PLUGIN_TIMEOUT_MS',
    pluginTimeoutMs >= 10 && pluginTimeoutMs <= MAX_PLUGIN_TIMEOUT_MS,
    `whole milliseconds, 10 to ${MAX_PLUGIN_TIMEOUT_MS}`,
  )
  const extenders = text('GANTT_EXTENDERS')
  check('GANTT_EXTENDERS', extenders === undefined || !extenders.includes('\u0000'), 'the path of a JSON file')
  if (problems.length > 0) throw new ConfigError(problems)
  const horizon = { days: Number(days), bytes: Number(bytes) }
  return {
    host,
    port: Number(port),
    dataDir,
    databaseUrl,
    adminKey,
    horizon,
    liveness,
    unlistedAfterMs,
    featureLevel: Number(level),
    nats,
    recordBytes: Number(recordBytes),
    sharedFlush: isSetting(sharedFlush) ? sharedFlush : 'auto',
    plugins,
    pluginTimeoutMs,
    extenders,
  }
}
