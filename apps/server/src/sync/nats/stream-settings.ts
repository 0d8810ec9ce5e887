import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig, type StreamInfo } from '@nats-io/jetstream'
import { StoreSetupError, StoreUnavailableError } from '../synchronizer.ts'
import { ApiCode, apiCode, asked, type Connection } from './connection.ts'

/** The names of the streams and subjects of one fleet. */
export interface Names {
  /** The log. The sequence of a message is the revision of its entry. */
  readonly log: string
  readonly logSubject: string
  readonly checkpoints: string
  /** The beginning of subjects. It is followed by `heads.<revision>` or `parts.<save>`. */
  readonly checkpointSubject: string
  /**
   * Data that may be lost at any time: which replica may append next, and the clock. Older releases store this data in memory, in a stream
   * named BESIDE. While replicas of an older release and of this release run, each release uses its own stream.
   */
  readonly coordination: string
  /** The beginning of subjects. It is followed by `turn`, `saver` or `clock.<replica>`. */
  readonly coordinationSubject: string
}

export const namesOf = (fleet: string): Names => ({
  log: `GANTT_${fleet}_LOG`,
  logSubject: `gantt.${fleet}.log`,
  checkpoints: `GANTT_${fleet}_CHECKPOINTS`,
  checkpointSubject: `gantt.${fleet}.checkpoints`,
  coordination: `GANTT_${fleet}_TURNS`,
  coordinationSubject: `gantt.${fleet}.turns`,
})

/** The oldest nats-server with named consumers, which this service needs. */
const OLDEST_SERVER = [2, 9, 0] as const
/** Servers must accept messages up to this size, which is their default. Most entries are smaller. */
export const MIN_PAYLOAD_BYTES = 1_048_576
/** How many servers of a cluster have a copy of a stream. The cluster continues to work if one of them fails. */
const COPIES = 3

/** The required configuration of every persistent stream: acknowledged messages stay until this service drops them. */
const KEPT = {
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  // a full stream refuses new messages instead of dropping the oldest ones
  discard: DiscardPolicy.New,
  max_age: 0,
  max_bytes: -1,
  max_msgs: -1,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  no_ack: false,
  sealed: false,
  deny_purge: false,
  allow_rollup_hdrs: false,
} satisfies Partial<StreamConfig>

/**
 * The suffix that a change of engine (engine-change/) adds to the subjects of a stream: `incoming` while the stream is filled, `left` after
 * the stream was copied to another store. Messages on the ordinary subject do not reach such a stream, and no replica opens it.
 */
export type Phase = 'incoming' | 'left'

export const inPhase = (subject: string, phase: Phase): string => `${subject}.${phase}`

/** Throws StoreSetupError when the stream is still being filled, or is no longer in use. */
function assertHere({ config }: StreamInfo, subjects: readonly string[]): void {
  const isIn = (phase: Phase): boolean => subjects.some((subject) => config.subjects?.includes(inPhase(subject, phase)) === true)
  if (isIn('incoming'))
    throw new StoreSetupError([
      `The stream ${config.name} is being filled from PostgreSQL, and is not complete: run "gantt migrate-sync --from postgres --to nats" again.`,
    ])
  if (isIn('left'))
    throw new StoreSetupError([
      `The stream ${config.name} is not in use any more: "gantt migrate-sync" took the log to PostgreSQL. Set GANTT_SYNC=postgres on every replica.`,
    ])
}

export type Settings = Partial<StreamConfig> & { readonly name: string; readonly subjects: string[] }

/** The settings of the log's stream. Single messages cannot be deleted; only the beginning can be purged. */
export const logSettings = ({ log, logSubject }: Names): Settings => ({ ...KEPT, deny_delete: true, name: log, subjects: [logSubject] })

export const checkpointSettings = ({ checkpoints, checkpointSubject }: Names): Settings => ({
  ...KEPT,
  name: checkpoints,
  subjects: [`${checkpointSubject}.>`],
})

/**
 * The settings of a stream with the newest message of each subject. The stream is on disk although its content is not needed: a copy in
 * memory is empty after its server was lost, and on nats-server 2.9 such a stream was seen without a leader for over half a minute.
 */
export const coordinationSettings = ({ coordination, coordinationSubject }: Names): Settings => ({
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.Old,
  max_msgs_per_subject: 1,
  max_age: 0,
  max_bytes: -1,
  max_msgs: -1,
  name: coordination,
  subjects: [`${coordinationSubject}.>`],
})

/**
 * How many copies of a stream this server can have: three in a cluster, one on a single server. Throws StoreSetupError with all problems if
 * the server cannot store a log.
 */
export function checkServer({ nats }: Connection): number {
  const { info } = nats
  const problems: string[] = []
  const server = `The nats-server ${info?.server_name ?? nats.getServer()}`
  if (info === undefined || isOlder(info.version))
    problems.push(`${server} has version ${info?.version ?? 'unknown'}; it must be ${OLDEST_SERVER.join('.')} or later.`)
  if (info?.jetstream !== true) problems.push(`${server} has JetStream off; it must be on (jetstream {} in its configuration).`)
  if (info !== undefined && info.max_payload < MIN_PAYLOAD_BYTES)
    problems.push(`${server} has max_payload ${info.max_payload}; it must be ${MIN_PAYLOAD_BYTES} or more.`)
  if (problems.length > 0) throw new StoreSetupError(problems)
  return info?.cluster === undefined ? 1 : COPIES
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  const parts = [major, minor, patch]
  const differs = OLDEST_SERVER.findIndex((least, i) => parts[i] !== least)
  return differs >= 0 && !((parts[differs] ?? 0) > (OLDEST_SERVER[differs] ?? 0))
}

/** Creates the stream if it does not exist. Throws StoreSetupError if it exists with other settings, and names each wrong setting. */
export async function ensureStream(connection: Connection, settings: Settings, copies: number): Promise<StreamInfo> {
  const { streams } = connection
  const found = await connection.look(settings.name).catch((error: unknown) => {
    if (apiCode(error) === ApiCode.streamNotFound) return undefined
    throw error
  })
  if (found === undefined) {
    const made = await asked(streams.add({ ...settings, num_replicas: copies })).catch((error: unknown) => {
      // another replica has just created it
      if (apiCode(error) === ApiCode.nameInUse) return connection.look(settings.name)
      if (apiCode(error) === ApiCode.noPeers)
        throw new StoreUnavailableError(
          `the stream ${settings.name} needs ${copies} servers of the cluster with JetStream on; there are fewer now`,
          { cause: error },
        )
      throw error
    })
    assertSettings(made, settings, copies)
    return made
  }
  assertSettings(found, settings, copies)
  return found
}

/** Throws StoreSetupError with every wrong setting, or if the stream is still being filled or is no longer in use. */
export function assertSettings(info: StreamInfo, settings: Settings, copies: number): void {
  assertHere(info, settings.subjects)
  const { name, ...wanted } = settings
  const config = info.config as unknown as Readonly<Record<string, unknown>>
  const problems = Object.entries(wanted).flatMap(([setting, allowed]) => {
    const found = config[setting] ?? (typeof allowed === 'boolean' ? false : undefined)
    return JSON.stringify(found) === JSON.stringify(allowed)
      ? []
      : [`The stream ${name} has ${setting} ${JSON.stringify(found)}; it must be ${JSON.stringify(allowed)}.`]
  })
  if (info.config.num_replicas < copies)
    problems.push(`The stream ${name} has num_replicas ${info.config.num_replicas}; it must be ${copies} or more on a cluster.`)
  for (const other of ['mirror', 'sources', 'republish'] as const)
    if (info.config[other] !== undefined) problems.push(`The stream ${name} has ${other}; it must have none.`)
  if (problems.length > 0) throw new StoreSetupError(problems)
}

/** Creates the stream if it does not exist. If it exists with other settings, these are corrected. */
export async function ensureCoordination({ streams }: Connection, settings: Settings, copies: number): Promise<void> {
  const config = { ...settings, num_replicas: copies }
  await asked(streams.add(config)).catch((error: unknown) => {
    if (apiCode(error) !== ApiCode.nameInUse) throw error
    return asked(streams.update(settings.name, config))
  })
}
