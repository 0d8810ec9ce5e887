import { type Checkpoint, type Entry, type LogEntry, ORIGIN, type Place } from '@gantt/scheduler-core'
import { type LogReader, StoreUnavailableError, StoreWentBackError, type Synchronizer } from '../synchronizer.ts'

/** A log in this process, shared by the synchronizers opened on it; for tests, simulation and what-if. */
export interface MemoryStore {
  readonly entries: LogEntry[]
  open(): Synchronizer
  /** The store's clock, milliseconds; tests set it. */
  now(): number
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
  const checkpoints: string[] = []
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
          if (!isOurs(after)) throw new StoreWentBackError(`the store does not hold revision ${after.revision} as entry ${after.id}`)
          return structuredClone(entries.slice(after.revision, after.revision + limit))
        },
        async loadCheckpoint(atMost) {
          assertUp()
          const all = checkpoints.map((text) => JSON.parse(text) as Checkpoint).filter(({ place }) => place.revision <= atMost)
          return all.sort((a, b) => a.place.revision - b.place.revision).at(-1)
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
          checkpoints.push(JSON.stringify(checkpoint))
          return true
        },
        async close() {
          for (const listener of mine) listeners.delete(listener)
        },
      }
    },
  }
  return store
}

/** A clock that moves one millisecond whenever it is read. */
function createTicking(): () => number {
  let time = 1_700_000_000_000
  return () => time++
}
