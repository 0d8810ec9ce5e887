import { realTimers, type Timers } from '../../timers.ts'
import { DOUBT_MS } from '../doubt.ts'
import { type Collect, fleetFromParts, fromParts } from '../parts.ts'
import { planTrim } from '../retention.ts'
import { type LogReader, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'
import type { NatsAddress } from './address.ts'
import { type Checkpoints, createCheckpoints, DamagedCheckpointError } from './checkpoints.ts'
import { type Connection, openConnection } from './connection.ts'
import { openCoordination } from './coordination.ts'
import { stampMs } from './entry-message.ts'
import { createNatsLog, type LogState, type NatsLog } from './log.ts'
import { checkpointSettings, checkServer, ensureStream, logSettings, namesOf } from './stream-settings.ts'

export interface NatsOptions {
  /** Shown in the servers' list of connections. */
  readonly name?: string
  /** The revision that every other follower of the log has reached. Later entries are not dropped. */
  reached(): Promise<number>
  /** Warns operators about the state of the cluster. */
  warn(message: string): void
  /** If the cluster shows fewer entries than it acknowledged, the loss is accepted only after this time, in milliseconds. */
  readonly doubtMs?: number
  readonly timers?: Timers
}

/** Notifications may be lost, so the log is checked at least at this interval. */
const POLL_MS = 1_000

/**
 * The log in a JetStream stream. Entries are published without an expected position. They are appended at the end of the log. Whether their
 * changes take effect is decided when they are applied, so this engine never refuses an entry that was decided on an earlier revision.
 * Acknowledged or delivered messages are stored by a majority of the stream's servers, which do not wait for their disks. Throws
 * StoreSetupError if the servers or streams lack required settings, and StoreUnavailableError if no server answers.
 */
export async function openNatsSynchronizer(address: NatsAddress, options: NatsOptions): Promise<Synchronizer> {
  const connection = await openConnection(address, options.name ?? 'gantt')
  try {
    return await openOn(connection, address, options)
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function openOn(
  connection: Connection,
  { fleet }: NatsAddress,
  { reached, warn, doubtMs = DOUBT_MS, timers = realTimers }: NatsOptions,
): Promise<Synchronizer> {
  const copies = checkServer(connection)
  if (copies === 1) warn('A single nats-server runs: its data is lost with its machine. A cluster of three keeps three copies.')
  const names = namesOf(fleet)
  const [coordination] = await Promise.all([
    openCoordination(connection, names, copies, timers),
    ensureStream(connection, logSettings(names), copies),
    ensureStream(connection, checkpointSettings(names), copies),
  ])
  const log = createNatsLog(connection, {
    ...{ settings: logSettings(names), copies, timers },
    // a single server elects no leader, so it never shows too few entries for a while
    doubtMs: copies === 1 ? 0 : doubtMs,
  })
  const checkpoints = createCheckpoints(connection, { stream: names.checkpoints, subject: names.checkpointSubject, timers })
  const listeners = new Set<(revision?: number) => void>()
  const news = (revision?: number): void => {
    for (const listener of listeners) listener(revision)
  }
  log.onGrowth(news)
  const stopPolling = timers.every(POLL_MS, () => news())

  /** The highest sequence that this replica knows and that most servers have stored. */
  let known = 0
  const past: LogReader = {
    read: log.readPast,
    placeAt: log.placeAt,
    loadCheckpoint: (atMost) => load(log, checkpoints, atMost, fromParts, warn),
    async retention() {
      const state = await log.state()
      const { firstRevision, bytes } = state
      const isEmpty = state.lastRevision < firstRevision || state.lastRevision === 0
      return { firstRevision: firstRevision > 1 ? firstRevision : 0, firstAt: isEmpty ? null : stampMs({ stamp: state.firstStamp }), bytes }
    },
  }

  return {
    ...past,
    engine: 'nats',
    refusesEarly: false,
    flushing: { isShared: false, medianMs: null, copies },
    past,
    durableRevision: () => known,

    async append(entry) {
      const place = await log.append(entry)
      known = Math.max(known, place.revision)
      return place
    },

    async read(after, limit) {
      const entries = await log.read(after, limit)
      known = Math.max(known, entries.at(-1)?.revision ?? after.revision)
      return entries
    },

    async durable(place) {
      if (place.revision <= known) return
      if (!(await log.holds(place))) throw new StoreWentBackError(`the store does not have entry ${place.id} at revision ${place.revision}`)
      known = Math.max(known, place.revision)
    },

    time: coordination.time,
    takeTurn: coordination.takeTurn,
    onGrowth(listener) {
      listeners.add(listener)
    },

    loadFleet: (reader) => load(log, checkpoints, Number.MAX_SAFE_INTEGER, fleetFromParts(reader), warn),

    async saveCheckpoint(checkpoint) {
      const saver = await coordination.takeSaver()
      if (saver === undefined) return false
      try {
        const { place } = checkpoint
        const kept = await checkpoints.list()
        if (kept.some(({ revision }) => revision === place.revision) || !(await log.holds(place))) return false
        const bytes = logBytes(await log.state(), kept)
        return await checkpoints.save(checkpoint, bytes(place.revision), saver.renew)
      } finally {
        saver.giveBack()
      }
    },

    async trim(horizon) {
      const saver = await coordination.takeSaver()
      if (saver === undefined) return
      try {
        const [kept, state, now, to] = await Promise.all([checkpoints.list(), log.state(), coordination.time(), reached()])
        const plan = planTrim(kept, horizon, { now, logBytes: logBytes(state, kept)(state.lastRevision), reached: to })
        if (plan === undefined) return
        await checkpoints.drop(plan.drop)
        // the entry at revision `base` stays, because a replica that continues from the checkpoint at that revision compares its position
        // with this entry
        if (plan.base > 0) await log.purge(plan.base)
      } finally {
        saver.giveBack()
      }
    },

    async close() {
      stopPolling()
      listeners.clear()
      log.close()
      coordination.close()
      await connection.close()
    },
  }
}

/** The newest complete checkpoint of a position that the log contains. */
async function load<Result>(
  log: NatsLog,
  checkpoints: Checkpoints,
  atMost: number,
  collect: Collect<Result>,
  warn: (message: string) => void,
): Promise<Result | undefined> {
  const leaveAside = (error: unknown): undefined => {
    if (!(error instanceof DamagedCheckpointError)) throw error
    warn(`${error.message}; it is ignored, and an older checkpoint, or the log alone, is read instead`)
  }
  const heads = (await checkpoints.list()).filter(({ revision }) => revision <= atMost)
  for (const head of heads.reverse()) {
    const found = (await log.holds(head.place)) ? await checkpoints.load(head, collect).catch(leaveAside) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/**
 * The size of all entries up to a revision, including dropped ones. The size of dropped entries is in the checkpoint at the first stored
 * entry.
 */
function logBytes(
  state: LogState,
  kept: readonly { readonly revision: number; readonly logBytes: number }[],
): (revision: number) => number {
  const { firstRevision, lastRevision, bytes } = state
  const dropped = firstRevision > 1 ? (kept.find(({ revision }) => revision === firstRevision)?.logBytes ?? 0) : 0
  const entries = Math.max(1, lastRevision - firstRevision + 1)
  return (revision) => dropped + Math.round((bytes * (revision - firstRevision + 1)) / entries)
}
