import { nearSpellings } from '@gantt/scheduler-core'
import type { Config } from '../../config.ts'

export const settingSources = ['ENVIRONMENT', 'DEFAULT'] as const

/** A setting of this process, as operators see it. */
export interface Setting {
  /** The environment variable that sets the value. */
  readonly name: string
  /** The value in effect. Undefined if nothing is set and there is no default, and for a value that can contain a secret. */
  readonly value: string | undefined
  /** The unit of the value, if it is an amount. */
  readonly unit: string | undefined
  readonly source: (typeof settingSources)[number]
  /** Whether the value can contain a password or a key. Such a value is never shown. */
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
  HOST: { description: 'The address that it listens at.', value: ({ host }) => host },
  PORT: { description: 'The port that it listens at; 0: any that is free.', value: ({ port }) => port },
  GANTT_DATA_DIR: {
    description: 'Where the embedded database and what belongs to it lie; not set: the default place.',
    value: ({ dataDir }) => dataDir,
  },
  DATABASE_URL: { description: 'The PostgreSQL server; not set: one is embedded.' },
  GANTT_ADMIN_KEY: { description: 'Taken as an admin key; not set: the first start makes one.' },
  GANTT_SYNC: { description: 'The engine that keeps the log: PostgreSQL if not set, or a NATS cluster; health shows which.' },
  GANTT_SHARED_FLUSH: {
    description: 'Whether one flush serves all who wait for the disk; auto measures the disk.',
    value: ({ sharedFlush }) => sharedFlush,
  },
  GANTT_LOG_DAYS: {
    description: 'What is older is trimmed off the log, behind a checkpoint.',
    unit: 'days',
    value: ({ horizon }) => horizon.days,
  },
  GANTT_LOG_BYTES: { description: 'The log grows to so much.', unit: 'bytes', value: ({ horizon }) => horizon.bytes },
  GANTT_RECORDS_BYTES: {
    description: 'So much may wait in NATS for the database.',
    unit: 'bytes',
    value: ({ recordBytes }) => recordBytes,
  },
  GANTT_FEATURE_LEVEL: {
    description: 'The highest feature level that it announces, reads and writes; the release’s own if not set.',
    value: ({ featureLevel }) => featureLevel,
  },
  GANTT_LIVENESS: { description: 'How it is found out whether hosts are alive.', value: ({ liveness }) => liveness.source },
  GANTT_SUSPECT_AFTER: {
    description: 'A host that is silent for this long is suspect.',
    unit: 'seconds',
    value: ({ liveness }) => liveness.suspectAfterMs / 1_000,
  },
  GANTT_DOWN_AFTER: {
    description: 'A host that is silent for this long is down.',
    unit: 'seconds',
    value: ({ liveness }) => liveness.downAfterMs / 1_000,
  },
  GANTT_UNLISTED_AFTER: {
    description: 'An instance with a claim that no host has listed for this long is reported by the auditor.',
    unit: 'seconds',
    value: ({ unlistedAfterMs }) => unlistedAfterMs / 1_000,
  },
  GANTT_PLUGINS: {
    description: 'What is loaded in addition to the parts of the release.',
    value: ({ plugins }) => plugins.map(({ mode, from }) => (mode === 'TRUSTED' ? `trusted:${from}` : from)).join(',') || undefined,
  },
  GANTT_PLUGIN_TIMEOUT_MS: {
    description: 'The time limit of an answer by a plug-in or an extender.',
    unit: 'milliseconds',
    value: ({ pluginTimeoutMs }) => pluginTimeoutMs,
  },
  GANTT_EXTENDERS: { description: 'The file that describes extenders; not set: there are none.', value: ({ extenders }) => extenders },
}

/** Variables of other programs that are often set in the same environment: the command line and the tests. */
const OTHERS = /^GANTT_(?:URL|KEY|CONFIG|SHARED|TRACE|SCREENSHOTS|LARGE_FLEET|TEST_[A-Z_]+|NEMESIS_[A-Z_]+)$/

const settingNames = Object.keys(rows)

/** Reports each variable that looks like a setting but is not one, with similarly spelled settings. */
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
