import { type Checkpoint, type Entry, type LogEntry, ORIGIN, type Place, restoreFleet } from '@gantt/scheduler-core'
import { planTrim, ROW_BYTES } from '../retention.ts'
import { type LogReader, LogTrimmedError, StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'

/** A log in this process, shared by the synchronizers that are opened on it. For tests, simulations and what-if queries. */
export interface MemoryStore {
  readonly entries: LogEntry[]
  open(): Synchronizer
  /** Returns the time of the store's clock, in milliseconds. */
  now(): number
  /** Sets the revision that the other followers of the log have reached. By default it is the end of the log. */
  followedTo(revision: number): void
  /** Faults that tests inject. */
  readonly faults: {
    /** The next appends get no answer. `landed` is true if the entry is appended. */
    loseAnswers: { landed: boolean }[]
    /** All calls fail while this is true. */
    down: boolean
    /** Drops entries after a revision, like a restored backup. */
    truncate(revision: number): void
    /** Crashes the store, so that it loses the entries that were not flushed. */
    loseUnflushed(): void
    /** Delays all flushes until the returned function is called. */
    holdFlushes(): () => void
  }
}

/** With `isShared`, appended entries are only durable after the next flush. */
export function createMemoryStore(now: () => number = createTicking(), { isShared = false } = {}): MemoryStore {
  const entries: LogEntry[] = []
  const checkpoints = new Map<number, { readonly text: string; readonly place: Place; readonly at: number; readonly logBytes: number }>()
  /** Entries before this revision were dropped. They stay in the list, but cannot be read. */
  let first = 0
  let followedTo = Number.MAX_SAFE_INTEGER
  /** The last revision on disk. */
  let flushedTo = 0
  let gate: Promise<void> = Promise.resolve()
  const listeners = new Set<(revision?: number) => void>()
  let turn: Promise<void> = Promise.resolve()

  const placeAt = (revision: number): Place | undefined => {
    if (revision === 0) return ORIGIN
    const entry = entries[revision - 1]
    return entry && { revision: entry.revision, id: entry.id, at: entry.at }
  }
  const isOurs = (place: Place): boolean => {
    const stored = placeAt(place.revision)
    return stored !== undefined && stored.id === place.id && stored.at === place.at
  }

  const store: MemoryStore = {
    entries,
    now,
    followedTo(revision) {
      followedTo = revision
    },
    faults: {
      loseAnswers: [],
      down: false,
      truncate(revision) {
        entries.length = Math.min(entries.length, revision)
        flushedTo = Math.min(flushedTo, revision)
      },
      loseUnflushed() {
        entries.length = Math.min(entries.length, isShared ? flushedTo : entries.length)
      },
      holdFlushes() {
        let open = (): void => {}
        gate = new Promise((resolve) => {
          open = resolve
        })
        return open
      },
    },
    open() {
      const mine = new Set<(revision?: number) => void>()
      const assertUp = (): void => {
        if (store.faults.down) throw new StoreUnavailableError('the memory store is down')
      }
      const assertOurs = (place: Place): void => {
        if (!isOurs(place)) throw new StoreWentBackError(`the store does not have entry ${place.id} at revision ${place.revision}`)
      }
      let durableRevision = 0
      const flush = async (place: Place): Promise<void> => {
        assertUp()
        await gate
        assertUp()
        assertOurs(place)
        flushedTo = entries.length
      }
      const reader: LogReader = {
        async read(after, limit) {
          assertUp()
          if (after.revision < first) throw new LogTrimmedError(after.revision, first)
          assertOurs(after)
          const found = structuredClone(entries.slice(after.revision, after.revision + limit))
          return found
        },
        async loadCheckpoint(atMost) {
          assertUp()
          const newest = [...checkpoints]
            .filter(([revision, { place }]) => revision <= atMost && isOurs(place))
            .reduce((most, [revision]) => Math.max(most, revision), -1)
          const found = checkpoints.get(newest)
          return found && (JSON.parse(found.text) as Checkpoint)
        },
        async placeAt(revision) {
          assertUp()
          return revision < Math.max(1, first) ? undefined : placeAt(revision)
        },
        async retention() {
          assertUp()
          const kept = entries.slice(Math.max(0, first - 1))
          return { firstRevision: first, firstAt: kept[0]?.at ?? null, bytes: bytesOf(kept) }
        },
      }
      return {
        ...reader,
        async read(after, limit) {
          const found = await reader.read(after, limit)
          if (!isShared) durableRevision = Math.max(durableRevision, found.at(-1)?.revision ?? 0)
          return found
        },
        async loadFleet(of) {
          const checkpoint = await reader.loadCheckpoint(Number.MAX_SAFE_INTEGER)
          return checkpoint && restoreFleet(checkpoint, of)
        },
        engine: 'memory',
        refusesEarly: true,
        flushing: { isShared, medianMs: null },
        past: {
          ...reader,
          async read(after, limit) {
            const found = await reader.read(after, limit)
            const last = found.at(-1)
            if (last !== undefined) await flush(last)
            return found
          },
        },
        durableRevision: () => durableRevision,
        async durable(place) {
          if (place.revision <= durableRevision) return assertUp()
          await flush(place)
          durableRevision = Math.max(durableRevision, place.revision)
        },
        async append(entry) {
          assertUp()
          const lost = store.faults.loseAnswers.shift()
          const accepted = lost?.landed !== false && entry.basis.revision === entries.length && isOurs(entry.basis)
          // the store keeps a copy, as in every other engine
          if (accepted) entries.push({ ...(structuredClone(entry) as Entry), revision: entries.length + 1, at: now() })
          if (accepted) for (const listener of listeners) queueMicrotask(() => listener(entries.length))
          if (lost !== undefined) throw new StoreUnavailableError('the answer was lost')
          if (accepted && !isShared) durableRevision = entries.length
          return accepted ? placeAt(entries.length) : undefined
        },
        async time() {
          assertUp()
          return now()
        },
        onGrowth(listener) {
          listeners.add(listener)
          mine.add(listener)
        },
        async takeTurn() {
          assertUp()
          const before = turn
          let giveBack = (): void => {}
          turn = new Promise((resolve) => {
            giveBack = resolve
          })
          await before
          return async () => giveBack()
        },
        async saveCheckpoint(checkpoint) {
          assertUp()
          const { place } = checkpoint
          const { revision, at } = place
          if (checkpoints.has(revision) || !isOurs(place)) return false
          flushedTo = entries.length
          checkpoints.set(revision, { text: JSON.stringify(checkpoint), place, at, logBytes: bytesOf(entries.slice(0, revision)) })
          return true
        },
        async trim(horizon) {
          assertUp()
          const kept = [...checkpoints].map(([revision, { at, logBytes }]) => ({ revision, at, logBytes }))
          const plan = planTrim(kept, horizon, { now: now(), logBytes: bytesOf(entries), reached: followedTo })
          for (const revision of plan?.drop ?? []) checkpoints.delete(revision)
          first = Math.max(first, plan?.base ?? 0)
        },
        async close() {
          for (const listener of mine) listeners.delete(listener)
        },
      }
    },
  }
  return store
}

const bytesOf = (entries: readonly LogEntry[]): number => entries.reduce((sum, entry) => sum + JSON.stringify(entry).length + ROW_BYTES, 0)

/** A clock that advances by one millisecond at each read. */
function createTicking(): () => number {
  let time = 1_700_000_000_000
  return () => time++
}
