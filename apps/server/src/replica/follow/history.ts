import type { Fleet, FleetReader, LogEntry, Place } from '@gantt/scheduler-core'
import type { LogReader } from '../../sync/synchronizer.ts'
import type { Applied } from '../replica-options.ts'
import { advance, createPastFleets, type PastFleets } from './past-fleets.ts'

const READ_LIMIT = 1_000
/**
 * `find` first reads this many entries after `basis`, because a decision is usually appended soon after the state on which it was made.
 * Only if the entry is not among them, `find` reads READ_LIMIT entries.
 */
const FIRST_LOOK = 4

/** A past fleet, and the entry that was applied to it last. */
export interface Step {
  readonly fleet: Fleet
  readonly applied: Applied
}

/** Past fleets, built from the nearest checkpoint and the entries after it. */
export interface History extends PastFleets {
  /** The entry at a revision. Throws RangeError if there is none. */
  entry(revision: number): Promise<LogEntry>
  /** The entry with this id, which was decided on the state at revision `basis`; undefined if it is not in the log. */
  find(entryId: string, basis: number): Promise<LogEntry | undefined>
  /**
   * Applies the entries after one revision up to another, and yields each entry with the fleet after it. The next step changes this fleet,
   * so the caller must read the fleet before that step.
   */
  walk(after: number, upTo: number): AsyncGenerator<Step, void>
}

/**
 * `limit` is how many hosts, claims and keys cached past fleets can have together. With 0, no fleet is cached and each is built from the
 * store.
 */
export function createHistory(store: LogReader, limit = 0, reader?: FleetReader): History {
  const fleets = createPastFleets(store, { limit, reader })
  // `walk` builds its fleet without the cache. The other methods use the cache, because a caller that has read an entry usually reads the
  // fleet before the entry next.
  const unkept = limit === 0 ? fleets : createPastFleets(store, { limit: 0, reader })
  const placeAt = (revision: number): Promise<Place> => fleets.read(revision, ({ place }) => place)
  return {
    ...fleets,
    get kept() {
      return fleets.kept
    },
    async entry(revision) {
      const [entry] = await store.read(await placeAt(revision - 1), 1)
      if (entry === undefined) throw new RangeError(`the log ends before revision ${revision}`)
      return entry
    },
    async find(entryId, basis) {
      const place = await placeAt(basis)
      for (const limit of [FIRST_LOOK, READ_LIMIT]) {
        const found = (await store.read(place, limit)).find(({ id }) => id === entryId)
        if (found !== undefined) return found
      }
      return undefined
    },
    async *walk(after, upTo) {
      const fleet = await unkept.at(after)
      for await (const applied of advance(store, fleet, upTo)) yield { fleet, applied }
    },
  }
}
