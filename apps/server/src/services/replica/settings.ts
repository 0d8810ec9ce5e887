import { nearSpellings } from '@gantt/scheduler-core'
import type { Config } from '../../config.ts'

export const settingSources = ['ENVIRONMENT', 'DEFAULT'] as const

/** A setting of this process, in the form that operators see. */
export interface Setting {
  /** The environment variable that sets the value. */
  readonly name: string
  /** The value in effect. Undefined if nothing is set and there is no default, or if the value can contain a secret. */
  readonly value: string | undefined
  /** The unit of the value, if it is an amount. */
  readonly unit: string | undefined
  readonly source: (typeof settingSources)[number]
  /** True if the value can contain a password or a key. Such a value is never shown. */
  readonly isSecret: boolean
  readonly description: string
}

interface Row extends Pick<Setting, 'description'> {
  readonly unit?: string
  /** Reads the value from the configuration. Absent for a value that can contain a secret. */
  value?(config: Config): string | number | undefined
}

/** All variables that readConfig reads; a test compares the two lists. */
const rows: Readonly<Record<string, Row>> = {
  HOST: { description: 'The IP address or host name on which the service listens.', value: ({ host }) => host },
  PORT: { description: 'The port on which the service listens. 0: any free port.', value: ({ port }) => port },
  GANTT_DATA_DIR: {
    description: 'The directory with the embedded database and its files. Not set: the default directory.',
    value: ({ dataDir }) => dataDir,
  },
  DATABASE_URL: { description: 'The URL of the PostgreSQL database. Not set: the service runs an embedded database.' },
  GANTT_ADMIN_KEY: { description: 'A secret that is accepted as an admin key. Not set: the first start creates an admin key.' },
  GANTT_SYNC: {
    description:
      'The URL of the NATS cluster that stores the log. Not set: PostgreSQL stores the log. The engine in use is shown in health.',
  },
  GANTT_SHARED_FLUSH: {
    description:
      'on: one flush to disk serves all waiting calls. off: each append waits for its own flush. auto: the service measures the disk and decides.',
    value: ({ sharedFlush }) => sharedFlush,
  },
  GANTT_LOG_DAYS: {
    description: 'Entries of the log that are older than this are deleted once a checkpoint contains them.',
    unit: 'days',
    value: ({ horizon }) => horizon.days,
  },
  GANTT_LOG_BYTES: {
    description: 'If the log is larger than this, its oldest entries are deleted once a checkpoint contains them.',
    unit: 'bytes',
    value: ({ horizon }) => horizon.bytes,
  },
  GANTT_RECORDS_BYTES: {
    description: 'At most this many bytes of records wait in NATS for the database.',
    unit: 'bytes',
    value: ({ recordBytes }) => recordBytes,
  },
  GANTT_FEATURE_LEVEL: {
    description: 'The highest feature level that this replica supports. Not set: the highest level of the release.',
    value: ({ featureLevel }) => featureLevel,
  },
  GANTT_LIVENESS: { description: 'Where the signs of life of hosts come from.', value: ({ liveness }) => liveness.source },
  GANTT_SUSPECT_AFTER: {
    description: 'A host without a sign of life for this long becomes SUSPECT.',
    unit: 'seconds',
    value: ({ liveness }) => liveness.suspectAfterMs / 1_000,
  },
  GANTT_DOWN_AFTER: {
    description: 'A host without a sign of life for this long becomes DOWN.',
    unit: 'seconds',
    value: ({ liveness }) => liveness.downAfterMs / 1_000,
  },
  GANTT_UNLISTED_AFTER: {
    description: 'The auditor reports an instance with a claim if no host has listed the instance for this long.',
    unit: 'seconds',
    value: ({ unlistedAfterMs }) => unlistedAfterMs / 1_000,
  },
  GANTT_PLUGINS: {
    description: 'The plug-ins that the service loads.',
    value: ({ plugins }) => plugins.map(({ mode, from }) => (mode === 'TRUSTED' ? `trusted:${from}` : from)).join(',') || undefined,
  },
  GANTT_PLUGIN_TIMEOUT_MS: {
    description: 'The time within which a plug-in or an extender must answer.',
    unit: 'milliseconds',
    value: ({ pluginTimeoutMs }) => pluginTimeoutMs,
  },
  GANTT_EXTENDERS: { description: 'The file that configures extenders. Not set: there are none.', value: ({ extenders }) => extenders },
}

/** Variables of the command line and of the tests, which are often set in the same environment. */
const OTHERS = /^GANTT_(?:URL|KEY|CONFIG|SHARED|TRACE|SCREENSHOTS|LARGE_FLEET|TEST_[A-Z_]+|NEMESIS_[A-Z_]+)$/

const settingNames = Object.keys(rows)

/**
 * A message for each environment variable that begins with GANTT but is not a setting. The message names settings with similar spelling.
 */
export const unknownSettings = (environment: NodeJS.ProcessEnv): readonly string[] =>
  Object.keys(environment)
    .filter((name) => /^GANTT/i.test(name) && !Object.hasOwn(rows, name) && !OTHERS.test(name))
    .map((name) => {
      const near = nearSpellings(name, settingNames)
      const meant = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${settingNames.join(', ')}.`
      return `${name} is set and has no effect: this release has no such setting; ${meant}`
    })

/** The settings in effect, each with the variable that sets it. Values that can be secret are never included. */
export function settingsOf(environment: NodeJS.ProcessEnv, config: Config): readonly Setting[] {
  return Object.entries(rows).map(([name, { description, unit, value }]) => {
    const holds = value?.(config)
    return {
      name,
      value: holds === undefined ? undefined : String(holds),
      unit,
      source: environment[name]?.trim() ? 'ENVIRONMENT' : 'DEFAULT',
      isSecret: value === undefined,
      description,
    }
  })
}
