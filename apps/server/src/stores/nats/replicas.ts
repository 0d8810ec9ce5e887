import type { Connection } from '../../sync/nats/connection.ts'
import { stampMs, stampOf } from '../../sync/nats/entry-message.ts'
import { publish } from '../../sync/nats/publish.ts'
import type { Timers } from '../../timers.ts'
import { FORGOTTEN_AFTER_MS, type ReplicaRow, type ReplicaStore, readDigests, readVitals } from '../replicas.ts'
import { openFollowed } from './followed.ts'
import { isMs, pack, type Unpacked, unpack } from './packing.ts'
import type { StoreStream } from './streams.ts'

/** A published sign of life. Its time is the time at which the store received the message. */
interface Published extends Omit<ReplicaRow, 'seenAt' | 'startedAt' | 'stoppedAt'> {
  /** The time of the replica's first sign of life; null in the first sign itself. */
  readonly startedAt: number | null
  readonly isStopped: boolean
}

export interface NatsReplicasOptions {
  readonly names: StoreStream
  /** The name of the log's stream. The sequences of its messages are the revisions of the log. */
  readonly log: string
  readonly timers: Timers
  /** The time by the store's clock, in milliseconds since 1970. */
  time(): Promise<number>
}

/** The last sign of life of each replica, in memory. `lagChanges` counts entries on this engine. */
export async function openNatsReplicas(
  connection: Connection,
  { names, log, timers, time }: NatsReplicasOptions,
): Promise<ReplicaStore & { close(): void }> {
  const rows = new Map<string, ReplicaRow>()
  let latest = 0
  const followed = await openFollowed(connection, {
    ...{ stream: names.stream, timers },
    onMessage(message) {
      const sign = unpack(message)
      if (!isSign(sign)) return
      const seenAt = stampMs(message)
      latest = Math.max(latest, seenAt)
      const { isStopped, ...row } = sign
      rows.set(row.id, {
        ...{ ...row, digests: readDigests(row.digests), vitals: readVitals(row.vitals) },
        ...{ startedAt: row.startedAt ?? seenAt, seenAt, stoppedAt: isStopped ? seenAt : null },
      })
    },
    onReplaced: () => rows.clear(),
  })
  const subjectOf = (id: string): string => `${names.subject}.${Buffer.from(id).toString('base64url')}`
  const send = async (sign: Published): Promise<void> => {
    const { body, head } = await pack(sign.id, sign)
    await followed.reach(await publish(connection, names.stream, subjectOf(sign.id), body, head))
  }
  /** How far a revision is behind the end of the log. */
  const lagOf = async (revision: number): Promise<Pick<ReplicaRow, 'lagChanges' | 'lagMs'>> => {
    const { state } = await connection.look(log)
    const lagChanges = Math.max(0, state.last_seq - revision)
    if (lagChanges === 0) return { lagChanges, lagMs: 0 }
    const first = await connection.find(log, { seq: Math.max(state.first_seq, revision + 1) }).catch(() => null)
    const since = first === null ? undefined : stampMs({ stamp: stampOf(first.timestamp) })
    return { lagChanges, lagMs: since === undefined ? 0 : Math.max(0, (await time()) - since) }
  }
  return {
    async keep(sign) {
      const lag = await lagOf(sign.revision)
      await send({ ...sign, ...lag, startedAt: rows.get(sign.id)?.startedAt ?? null, isStopped: false })
    },
    async list() {
      await followed.fresh()
      const now = Math.max(await time(), latest)
      const living = [...rows.values()].filter(({ seenAt }) => now - seenAt < FORGOTTEN_AFTER_MS)
      return { now, rows: living.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)) }
    },
    async stop(id) {
      const row = rows.get(id)
      if (row === undefined) return
      const { seenAt: _seen, stoppedAt: _stopped, ...sign } = row
      await send({ ...sign, isStopped: true })
    },
    async forget() {
      const now = await time()
      for (const [id, { seenAt }] of rows) if (now - seenAt >= FORGOTTEN_AFTER_MS) rows.delete(id)
    },
    close: () => followed.close(),
  }
}

/** Returns true if the value is a sign of life. Digests and vitals are parsed separately, because their form depends on the release. */
function isSign(value: Unpacked | undefined): value is Unpacked & Published {
  if (value === undefined) return false
  const { id, version, mode, url, reason, isStopped, startedAt, checkedAt, ...counts } = value
  return (
    [id, version, mode].every((text) => typeof text === 'string' && text !== '') &&
    [url, reason].every((text) => text === null || typeof text === 'string') &&
    [startedAt, checkedAt].every((at) => at === null || isMs(at)) &&
    [counts.featureLevel, counts.revision, counts.violations, counts.lagChanges, counts.lagMs].every(isMs) &&
    typeof isStopped === 'boolean'
  )
}
