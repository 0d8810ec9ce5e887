import type { Fleet, FleetReader, LogEntry, Place } from '@gantt/scheduler-core'
import type { LogReader } from '../../sync/synchronizer.ts'
import type { Applied } from '../replica-options.ts'
import { advance, createPastFleets, type PastFleets } from './past-fleets.ts'

const READ_LIMIT = 1_000
/** The sizes of reads: an entry usually follows its basis directly, so that a few entries are read before many. */
const FIRST_LOOK = 4

/** A fleet of the past, and the entry that was applied to it last. */
export interface Step {
  readonly fleet: Fleet
  readonly applied: Applied
}

/** Past fleets of the log, built from the nearest checkpoint and the entries after it. */
export interface History extends PastFleets {
  /** The entry at a revision. Throws RangeError when there is none. */
  entry(revision: number): Promise<LogEntry>
  /** The entry with an id that was decided on a revision; undefined when it is not in the log. */
  find(entryId: string, basis: number): Promise<LogEntry | undefined>
  /** The entries after a revision up to another, with the fleet before each: read it before the next step. */
  walk(after: number, upTo: number): AsyncGenerator<Step, void>
}

/**
 * `limit` is the number of hosts, claims and keys that past fleets may hold in memory together; with 0 none is kept, and all are built from
 * the store.
 */
export function createHistory(store: LogReader, limit = 0, reader?: FleetReader): History {
  const fleets = createPastFleets(store, { limit, reader })
  // The next read of an entry's reader is the fleet before it, so this fleet is built once.
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
