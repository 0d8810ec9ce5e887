import { copyFleet, copyFleetAt, Fleet, type FleetReader, giveUpFleet, rebuildFleet } from '@gantt/scheduler-core'
import { answerYielding, pauseOfQuery } from '../../event-loop/query.ts'
import { ENTRIES_AT_ONCE, type LogReader, LogTrimmedError, StoreWentBackError } from '../../sync/synchronizer.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { Applied, Snapshot } from '../replica-options.ts'

/** Cached past fleets hold at most this many hosts, claims and keys together. docs/receipts.md converts this to bytes. */
export const KEPT_THINGS = 500_000
/**
 * After this many changes, a copy of a fleet that is being built is cached as a milestone, so that a later query near it applies at most
 * this many changes. A large fleet takes longer to copy, so the distance grows to MILESTONE_PER_HOST changes for each host.
 */
const MILESTONE = 250
const MILESTONE_PER_HOST = 1 / 40
/** How many recently queried fleets are cached, in addition to the milestones. */
const KEPT_MOMENTS = 8
/** How many copies of the live fleet are cached, spread over its lifetime. Fewer are cached if they exceed the memory limit. */
const KEPT_SNAPSHOTS = 8
const FEWEST_SNAPSHOTS = 2
/** Up to this many bytes of fleets that nobody uses any more are stored for later copies. A call can explain many decisions at once. */
const MAX_SPARE_BYTES = 64 * 2 ** 20
/** A fleet that was not queried for this long is dropped. */
const IDLE_MS = 300_000
/** A cached fleet is advanced by at most this many entries. For a greater distance, a nearer checkpoint is loaded. */
const WALK_ENTRIES = 10_000

/**
 * Fleets of the past, for queries. The cache contains copies of the live fleet that were made for other purposes, fleets at recently
 * queried moments, the checkpoint from which these fleets were built, and milestones (copies that were made while they were built). None of
 * these fleets is changed. A query for another moment continues from a copy of the nearest earlier fleet, which shares all unchanged data
 * with the original.
 */
export interface PastFleets {
  /**
   * Calls `use` with the fleet at a revision. `use` is synchronous and must not change the fleet. Throws RangeError if the log does not
   * contain the revision, even if the fleet is cached, so that all replicas give the same answer.
   */
  read<Answer>(revision: number, use: (fleet: Fleet) => Answer): Promise<Answer>
  /** A fleet that the caller may change, and must give back. Throws RangeError as `read` does. */
  at(revision: number): Promise<Fleet>
  /** A copy of a fleet that the caller may change, at least as late as `time` (milliseconds since 1970). The caller must give it back. */
  copy(fleet: Fleet, time?: number): Fleet
  /** Takes back a fleet from `at` or `copy`, so that later copies reuse its memory. Nobody may use the fleet afterwards. */
  giveBack(fleet: Fleet): void
  /**
   * Calls `work` with `at` and `copy`, and takes back all fleets that `work` got from them as soon as it ends or fails. Its result must not
   * read these fleets.
   */
  lend<Answer>(work: (lent: LentFleets) => Promise<Answer>): Promise<Answer>
  /** Caches a copy of the live fleet, from which later queries continue. Drops the cached copies of any other live fleet. */
  keep(snapshot: Snapshot): void
  /** How many fleets are cached, and how many hosts, claims and keys they have together. */
  readonly kept: { readonly fleets: number; readonly things: number }
  close(): void
}

/** Fleets that are taken back by themselves (`PastFleets.lend`). */
export type LentFleets = Pick<PastFleets, 'at' | 'copy'>

interface Kept {
  readonly fleet: Fleet
  /** The kinds of cached fleets: a queried moment; a milestone after a checkpoint, or the checkpoint itself; a copy of the live fleet. */
  readonly kind: 'moment' | 'milestone' | 'snapshot'
  /** The data that the fleet shares with all fleets from the same checkpoint. It is counted once while any of them is cached. */
  readonly origin: Origin
  /** The memory that only this fleet needs, as a number of objects: its hosts, and the changes since the cached fleet before it. */
  readonly things: number
  usedAt: number
}

/** A loaded checkpoint, or the live fleet. Fleets of different origins share nothing. */
interface Origin {
  readonly things: number
}

/** The data that all copies of one live fleet share. */
interface Living extends Origin {
  readonly fleet: Fleet
}

export interface PastFleetsOptions {
  /** At most this many hosts, claims and keys are cached; default KEPT_THINGS. */
  readonly limit?: number
  readonly timers?: Timers
  /** The plug-ins and the feature level with which these fleets read the log. */
  readonly reader?: FleetReader | undefined
}

export function createPastFleets(
  store: LogReader,
  { limit = KEPT_THINGS, timers = realTimers, reader }: PastFleetsOptions = {},
): PastFleets {
  const kept = new Set<Kept>()
  let living: Living | undefined
  /** The memory of fleets that nobody uses any more. The next copies reuse it. */
  const spares: ArrayBuffer[] = []
  let turn: Promise<unknown> = Promise.resolve()
  const sweep = (): void => {
    spares.length = 0
    // a snapshot needs memory only for data that has changed since, and it cannot be created again, so it is not dropped for its age
    for (const one of kept) if (one.kind !== 'snapshot' && timers.now() - one.usedAt > IDLE_MS) kept.delete(one)
  }
  const stopSweep = limit === 0 ? undefined : timers.every(IDLE_MS / 5, sweep)

  const sum = (parts: Iterable<{ readonly things: number }>): number => Array.from(parts).reduce((all, one) => all + one.things, 0)
  const origins = (): ReadonlySet<Origin> => new Set(Array.from(kept, ({ origin }) => origin))
  const things = (): number => sum(origins()) + sum(kept)
  const snapshots = (): Kept[] => [...kept].filter(({ kind }) => kind === 'snapshot').sort((a, b) => revisionOf(a) - revisionOf(b))
  /** All cached fleets except the copies of the live fleet, least recently used first. */
  const others = (): Kept[] => [...kept].filter(({ kind }) => kind !== 'snapshot').sort((a, b) => a.usedAt - b.usedAt)
  /** Returns true if the cache exceeds its limit. The data of a single checkpoint is not counted, because all cached fleets need it. */
  const isOver = (): boolean => {
    const asked = others()
    const loaded = [...origins()].filter((origin) => origin !== living)
    return asked.length > 1 && sum(asked) + (loaded.length > 1 ? sum(loaded) : 0) > limit
  }
  const giveBack = (fleet: Fleet): void => {
    const memory = limit === 0 ? undefined : giveUpFleet(fleet)
    if (memory === undefined) return
    const stored = spares.reduce((sum, { byteLength }) => sum + byteLength, 0)
    if (stored + memory.byteLength <= MAX_SPARE_BYTES) spares.push(memory)
  }
  /** Drops a fleet. */
  const dropFleet = (one: Kept): void => {
    kept.delete(one)
    if (one.kind === 'moment') giveBack(one.fleet)
  }

  /** Caches a fleet, and drops the least recently used ones beyond the limits. */
  const keep = (one: Omit<Kept, 'usedAt'>): void => {
    if (limit === 0) return
    kept.add({ ...one, usedAt: timers.now() })
    const oldestFirst = others()
    for (const moment of oldestFirst.filter(({ kind }) => kind === 'moment').slice(0, -KEPT_MOMENTS)) dropFleet(moment)
    for (const oldest of oldestFirst) if (isOver() && kept.has(oldest)) dropFleet(oldest)
  }

  const find = (revision: number): Kept | undefined => {
    for (const one of kept) {
      if (one.fleet.place.revision !== revision) continue
      one.usedAt = timers.now()
      return one
    }
    return undefined
  }

  /** The nearest cached fleet before a revision, if it is at most WALK_ENTRIES revisions away. */
  const nearestBefore = (revision: number): Kept | undefined =>
    [...kept]
      .filter(({ fleet: { place } }) => place.revision < revision && revision - place.revision <= WALK_ENTRIES)
      .reduce<Kept | undefined>(
        (best, one) => (best === undefined || one.fleet.place.revision > best.fleet.place.revision ? one : best),
        undefined,
      )

  /** A fleet from before a revision, which the caller may advance to that revision, and the origin of the fleet. */
  const startFor = async (revision: number): Promise<Pick<Kept, 'fleet' | 'origin'>> => {
    const near = nearestBefore(revision)
    if (near !== undefined) {
      near.usedAt = timers.now()
      return { fleet: copyFleet(near.fleet, spares.pop()), origin: near.origin }
    }
    const fleet = await fromCheckpoint(store, revision, reader)
    const origin: Origin = { things: sizeOf(fleet) }
    keep({ fleet, kind: 'milestone', origin, things: 0 })
    return { fleet: limit === 0 ? fleet : copyFleet(fleet), origin }
  }

  /** Advances a fleet to a revision and caches it. Copies are cached as milestones on the way. */
  const walk = async ({ fleet, origin }: Pick<Kept, 'fleet' | 'origin'>, revision: number): Promise<void> => {
    let changed = 0
    for await (const { entry } of advance(store, fleet, revision)) {
      changed += entry.changes.length
      if (limit === 0 || changed < Math.max(MILESTONE, fleet.hosts.count * MILESTONE_PER_HOST) || entry.revision === revision) continue
      keep({ fleet: copyFleet(fleet), kind: 'milestone', origin, things: copiedThings(fleet) + changed })
      changed = 0
    }
    keep({ fleet, kind: 'moment', origin, things: copiedThings(fleet) + changed })
  }

  /**
   * Caches a copy of the live fleet. If there are too many copies, the copy whose neighbours are closest together is dropped. The first and
   * the last copy stay.
   */
  const keepSnapshot = ({ fleet, of, changes }: Snapshot): void => {
    if (living?.fleet !== of) {
      for (const one of kept) if (one.origin === living) kept.delete(one)
      living = { fleet: of, things: 0 }
    }
    keep({ fleet, kind: 'snapshot', origin: living, things: copiedThings(fleet) + changes })
    for (let all = snapshots(); all.length > KEPT_SNAPSHOTS || (all.length > FEWEST_SNAPSHOTS && sum(all) > limit); all = snapshots()) {
      const gaps = all.slice(1, -1).map((one, i) => ({ one, gap: revisionOf(all[i + 2] as Kept) - revisionOf(all[i] as Kept) }))
      kept.delete(gaps.reduce((least, other) => (other.gap < least.gap ? other : least)).one)
    }
  }

  /**
   * Builds and caches the fleet at a revision. Only one fleet is built at a time, so that two queries for one revision build its fleet
   * once.
   */
  const make = async (revision: number): Promise<Fleet> => {
    const known = find(revision)
    if (known !== undefined) return known.fleet
    for (;;) {
      const isFromStore = nearestBefore(revision) === undefined
      try {
        const start = await startFor(revision)
        await walk(start, revision)
        return start.fleet
      } catch (error) {
        const isGone = error instanceof StoreWentBackError || error instanceof LogTrimmedError
        // the cached fleet can contain entries that the store no longer has, so the fleet is rebuilt from the store
        if (isGone) kept.clear()
        if (!isGone || isFromStore) throw error
      }
    }
  }

  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = turn.then(work)
    turn = answer.catch(() => undefined)
    return answer
  }

  /** Resolves with true if the store still has the position of a cached fleet. */
  const isThere = async ({ fleet }: Kept): Promise<boolean> => {
    try {
      await store.read(fleet.place, 1)
      return true
    } catch (error) {
      if (!(error instanceof StoreWentBackError || error instanceof LogTrimmedError)) throw error
      kept.clear()
      return false
    }
  }

  const at: PastFleets['at'] = (revision) =>
    inTurn(async () => {
      if (limit === 0) return make(revision)
      const known = find(revision)
      if (known !== undefined) await isThere(known)
      return copyFleet(await make(revision), spares.pop())
    })
  const copy: PastFleets['copy'] = (fleet, time = 0) => copyFleetAt(fleet, time, spares.pop())

  return {
    async read(revision, use) {
      const known = find(revision)
      // the fleet was possibly dropped while the store was queried
      if (known !== undefined && (await isThere(known)) && kept.has(known)) return use(known.fleet)
      return inTurn(async () => use(await make(revision)))
    },
    at,
    copy,
    giveBack,
    async lend(work) {
      const lent: Fleet[] = []
      const noted = (fleet: Fleet): Fleet => {
        lent.push(fleet)
        return fleet
      }
      try {
        return await work({ at: async (revision) => noted(await at(revision)), copy: (...of) => noted(copy(...of)) })
      } finally {
        lent.forEach(giveBack)
      }
    },
    keep: keepSnapshot,
    get kept() {
      return { fleets: kept.size, things: things() }
    },
    close() {
      stopSweep?.()
      kept.clear()
      living = undefined
      spares.length = 0
    },
  }
}

/**
 * Applies the entries after the fleet's revision up to `upTo`, one in each step of the caller's loop. Nobody else may use the fleet
 * meanwhile.
 */
export async function* advance(store: LogReader, fleet: Fleet, upTo: number): AsyncGenerator<Applied, void> {
  while (fleet.place.revision < upTo) {
    const entries = await store.read(fleet.place, Math.min(ENTRIES_AT_ONCE, upTo - fleet.place.revision))
    if (entries.length === 0) throw new RangeError(`the log ends at revision ${fleet.place.revision}; ${upTo} was requested`)
    for (const entry of entries) {
      yield { entry, verdicts: await answerYielding(fleet.applyInSteps(entry)) }
      const pause = pauseOfQuery()
      if (pause !== undefined) await pause
    }
  }
}

async function fromCheckpoint(store: LogReader, atMost: number, reader: FleetReader | undefined): Promise<Fleet> {
  const checkpoint = await store.loadCheckpoint(atMost)
  return checkpoint === undefined ? new Fleet(reader) : answerYielding(rebuildFleet(checkpoint, reader))
}

const revisionOf = ({ fleet }: Kept): number => fleet.place.revision

/** VCPU, MEMORY_MB and DISK_GB. */
const USUAL_CLASSES = 3
/** The columns of this many other resource classes need about as much memory as the hosts themselves, if many hosts have these classes. */
const CLASSES_PER_THING = 4

/** The memory that only a copy of a fleet needs, as a number of objects: its hosts, and the columns of its resource classes. */
const copiedThings = ({ hosts }: Fleet): number =>
  hosts.count * (1 + Math.floor(Math.max(0, hosts.denseClassCount - USUAL_CLASSES) / CLASSES_PER_THING))

const sizeOf = ({ hosts, ledger }: Fleet): number => hosts.count + ledger.claims.size + ledger.keyCount
