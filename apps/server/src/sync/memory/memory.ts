import { type Checkpoint, type Entry, type LogEntry, ORIGIN, type Place } from '@gantt/scheduler-core'
import { planTrim, ROW_BYTES } from '../retention.ts'
import { type LogReader, LogTrimmedError, StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'

/** A log in this process, shared by the synchronizers opened on it; for tests, simulation and what-if. */
export interface MemoryStore {
  readonly entries: LogEntry[]
  open(): Synchronizer
  /** The store's clock, milliseconds; tests set it. */
  now(): number
  /** How far those who follow the log beside replicas are; everywhere unless said. */
  followedTo(revision: number): void
  /** Faults that tests plant. */
  readonly faults: {
    /** The next appends lose their answer: `landed` says whether the entry got in before. */
    loseAnswers: { landed: boolean }[]
    /** Calls fail while true. */
    down: boolean
    /** Forgets entries after a revision, as a restored backup does. */
    truncate(revision: number): void
  }
}

export function createMemoryStore(now: () => number = createTicking()): MemoryStore {
  const entries: LogEntry[] = []
  const checkpoints = new Map<number, { readonly text: string; readonly at: number; readonly logBytes: number }>()
  /** Entries before this revision were dropped: they stay in the list, and nobody reads them. */
  let first = 0
  let followedTo = Number.MAX_SAFE_INTEGER
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
      },
    },
    open() {
      const mine = new Set<(revision?: number) => void>()
      const assertUp = (): void => {
        if (store.faults.down) throw new StoreUnavailableError('the memory store is down')
      }
      const reader: LogReader = {
        async read(after, limit) {
          assertUp()
          if (after.revision < first) throw new LogTrimmedError(after.revision, first)
          if (!isOurs(after)) throw new StoreWentBackError(`the store does not hold revision ${after.revision} as entry ${after.id}`)
          return structuredClone(entries.slice(after.revision, after.revision + limit))
        },
        async loadCheckpoint(atMost) {
          assertUp()
          const newest = [...checkpoints.keys()].filter((revision) => revision <= atMost).reduce((a, b) => Math.max(a, b), -1)
          const found = checkpoints.get(newest)
          return found && (JSON.parse(found.text) as Checkpoint)
        },
        async retention() {
          assertUp()
          const kept = entries.slice(Math.max(0, first - 1))
          return { firstRevision: first, firstAt: kept[0]?.at ?? null, bytes: bytesOf(kept) }
        },
      }
      return {
        ...reader,
        engine: 'memory',
        past: reader,
        async append(entry) {
          assertUp()
          const lost = store.faults.loseAnswers.shift()
          const accepted = lost?.landed !== false && entry.basis.revision === entries.length && isOurs(entry.basis)
          // what is stored is a copy, as it is in every other engine
          if (accepted) entries.push({ ...(structuredClone(entry) as Entry), revision: entries.length + 1, at: now() })
          if (accepted) for (const listener of listeners) queueMicrotask(() => listener(entries.length))
          if (lost !== undefined) throw new StoreUnavailableError('the answer was lost')
          return accepted ? placeAt(entries.length) : undefined
        },
        async durable() {
          assertUp()
        },
        async time() {
          assertUp()
          return now()
        },
        onNews(listener) {
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
          const { revision, at } = checkpoint.place
          if (checkpoints.has(revision)) return false
          checkpoints.set(revision, { text: JSON.stringify(checkpoint), at, logBytes: bytesOf(entries.slice(0, revision)) })
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

/** A clock that moves one millisecond whenever it is read. */
function createTicking(): () => number {
  let time = 1_700_000_000_000
  return () => time++
}
