import { type HostName, hostKey } from '@gantt/scheduler-core'
import { nuid } from '@nats-io/transport-node'
import type { Connection } from '../../sync/nats/connection.ts'
import { type StoredMessage, stampMs } from '../../sync/nats/entry-message.ts'
import { CameSecondError, publish } from '../../sync/nats/publish.ts'
import type { Timers } from '../../timers.ts'
import type { LastOf, LeaseStore } from '../leases.ts'
import { openFollowed } from './followed.ts'
import { isMs, isObject, pack, unpack } from './packing.ts'
import { follows, type StoreStream } from './streams.ts'

/** A batch of hosts, each with the milliseconds from its sign of life to the message. The node is left out if it has the host's name. */
type Heard = readonly (readonly [host: string, agoMs: number, node?: string])[]

/** The last reader of the leases, and the period in which they were read without a gap. */
interface Watch {
  readonly by: string
  /** If the read does not end, another replica may evaluate the leases after this time, in milliseconds. 0 if the read has ended. */
  readonly heldMs: number
  readonly since: number | null
  readonly until: number | null
}

export interface NatsLeasesOptions {
  readonly names: StoreStream
  readonly timers: Timers
  /** The time by the store's clock, in milliseconds since 1970. */
  time(): Promise<number>
}

/**
 * How many subjects a replica has. Each subject keeps its newest batch. Before a batch is overwritten, its hosts without a later sign of
 * life are added to the new batch. Therefore no sign of life is lost, and about one lease of each host is stored.
 */
const SLOTS = 64
/** One batch has at most this many hosts, not counting those that are copied from the overwritten batch. */
const MAX_HOSTS_PER_BATCH = 5_000
/** Hosts that were silent for longer are left out, because no timeout is that long. */
export const LEASES_LAST_MS = 2 * 86_400_000
const MIN_HELD_MS = 1_000
/** A replica that evaluates the leases prevents other replicas from evaluating them for at most this long. */
const MAX_HELD_MS = 3_600_000
const MISSED_INTERVALS = 3

export async function openNatsLeases(connection: Connection, { names, timers, time }: NatsLeasesOptions): Promise<LeaseStore> {
  const me = nuid.next()
  /** The last sign of life of each host, whichever replica received it, by the store's time. */
  const last = new Map<string, number>()
  let watch: (Watch & { readonly at: number }) | undefined
  /**
   * The sequence of the last message on the watch's subject. This replica's next message on that subject is refused if another message came
   * in between.
   */
  let watchSequence = 0
  let latest = 0
  const watchSubject = `${names.subject}.watch`

  const applySigns = (at: number, heard: Heard): void => {
    for (const [host, agoMs, node = host] of heard) {
      const key = hostKey({ host, node })
      last.set(key, Math.max(last.get(key) ?? 0, at - agoMs))
    }
  }
  const followed = await openFollowed(connection, {
    ...{ stream: names.stream, timers },
    onMessage(message: StoredMessage) {
      const { heard, watch: watchMessage } = unpack(message) ?? {}
      const at = stampMs(message)
      latest = Math.max(latest, at)
      if (message.subject === watchSubject) watchSequence = message.revision
      if (Array.isArray(heard)) applySigns(at, heard.filter(isHeard))
      else if (isWatch(watchMessage)) watch = { ...watchMessage, at }
    },
    onReplaced() {
      last.clear()
      watch = undefined
      watchSequence = 0
    },
  })

  /**
   * The hosts in the newest batch on each of this replica's subjects. `mine` has the subject of each host's last sign, and its time by this
   * replica's clock.
   */
  const slots: (readonly HostName[])[] = []
  const mine = new Map<string, { readonly slot: number; readonly at: number }>()
  let next = 0

  const write = async (hosts: readonly HostName[]): Promise<void> => {
    const slot = next % SLOTS
    const now = timers.now()
    const fresh = new Set(hosts.map(hostKey))
    const former = slots[slot] ?? []
    const taken = former.flatMap((host) => {
      const heard = mine.get(hostKey(host))
      const isLast = heard?.slot === slot && !fresh.has(hostKey(host)) && now - heard.at < LEASES_LAST_MS
      return isLast ? [{ host, at: heard.at }] : []
    })
    const batch = [...hosts.map((host) => ({ host, at: now })), ...taken]
    const heard = batch.map(({ host: { host, node }, at }): Heard[number] => {
      const agoMs = Math.round(now - at)
      return host === node ? [host, agoMs] : [host, agoMs, node]
    })
    const { body, head } = await pack(me, { heard })
    await publish(connection, names.stream, `${names.subject}.heard.${me}.${slot}`, body, head)
    for (const host of former) if (mine.get(hostKey(host))?.slot === slot) mine.delete(hostKey(host))
    for (const { host, at } of batch) mine.set(hostKey(host), { slot, at })
    slots[slot] = batch.map(({ host: { host, node } }) => ({ host, node }))
    next++
  }

  const say = async (message: Watch, expected?: number): Promise<void> => {
    const { body, head } = await pack(me, { watch: message })
    const order = expected === undefined ? head : follows(expected)
    await followed.reach(await publish(connection, names.stream, watchSubject, body, order))
  }
  const isHeldByAnother = (now: number): boolean =>
    watch !== undefined && watch.by !== me && now - watch.at < Math.min(watch.heldMs, MAX_HELD_MS)

  return {
    async renew(hosts) {
      for (let i = 0; i < hosts.length; i += MAX_HOSTS_PER_BATCH) await write(hosts.slice(i, i + MAX_HOSTS_PER_BATCH))
    },
    async look(breakMs, conclude) {
      await followed.fresh()
      const now = Math.max(await time(), latest)
      const { since = null, until = null } = watch ?? {}
      const heldMs = Math.max(MIN_HELD_MS, breakMs / MISSED_INTERVALS)
      const isMine =
        !isHeldByAnother(now) &&
        (await say({ by: me, heldMs, since, until }, watchSequence).then(
          () => true,
          (error: unknown) => {
            if (error instanceof CameSecondError) return false
            throw error
          },
        ))
      const wasBroken = since === null || until === null || now - until > breakMs
      const listeningSince = isMine ? (wasBroken ? now : since) : (since ?? now)
      for (const [host, at] of last) if (now - at >= LEASES_LAST_MS) last.delete(host)
      const leases = async (): Promise<LastOf> => {
        const seen = new Map(last)
        return (host) => seen.get(hostKey(host))
      }
      if (!isMine) return conclude({ isMine, now, listeningSince, leases })
      try {
        await conclude({ isMine, now, listeningSince, leases })
      } catch (error) {
        // ends this read without an effect; if this message does not arrive, other replicas evaluate the leases only after `heldMs`
        await say({ by: me, heldMs: 0, since, until }).catch(() => undefined)
        throw error
      }
      await say({ by: me, heldMs: 0, since: listeningSince, until: now })
    },
    async close() {
      followed.close()
    },
  }
}

function isHeard(value: unknown): value is Heard[number] {
  if (!Array.isArray(value)) return false
  const [host, agoMs, node] = value as readonly unknown[]
  return typeof host === 'string' && isMs(agoMs) && (node === undefined || typeof node === 'string')
}

function isWatch(value: unknown): value is Watch {
  if (!isObject(value)) return false
  const { by, heldMs, since, until } = value
  return typeof by === 'string' && isMs(heldMs) && [since, until].every((at) => at === null || isMs(at))
}
