import { Fleet, type LogEntry, ORIGIN, type Place, rebuildFleet } from '@gantt/scheduler-core'
import type { LogReader } from '../sync/synchronizer.ts'
import { inPieces } from './pieces.ts'
import type { Applied } from './replica-options.ts'

const READ_LIMIT = 1_000

/** The log's past: fleets as they were, made from the nearest checkpoint and the entries after it. */
export interface History {
  /** A fleet of the caller's own as it was at a revision. Throws RangeError when the log does not reach there. */
  at(revision: number): Promise<Fleet>
  /** The entry at a revision. Throws RangeError when there is none. */
  entry(revision: number): Promise<LogEntry>
  /** The entry with an id that was decided on a revision; undefined when it is not in the log. */
  find(entryId: string, basis: number): Promise<LogEntry | undefined>
  /** Applies the entries from behind `after` to `upTo` and calls back after each. */
  follow(after: number, upTo: number, each: (fleet: Fleet, applied: Applied) => void): Promise<void>
}

export function createHistory(store: LogReader): History {
  const advance = async (fleet: Fleet, upTo: number, each: (fleet: Fleet, applied: Applied) => void): Promise<void> => {
    while (fleet.place.revision < upTo) {
      const entries = await store.read(fleet.place, Math.min(READ_LIMIT, upTo - fleet.place.revision))
      if (entries.length === 0) throw new RangeError(`the log ends at revision ${fleet.place.revision}; ${upTo} was asked for`)
      await inPieces(applyEach(fleet, entries, each))
    }
  }
  const at = async (revision: number): Promise<Fleet> => {
    const checkpoint = await store.loadCheckpoint(revision)
    const fleet = checkpoint === undefined ? new Fleet() : await inPieces(rebuildFleet(checkpoint))
    await advance(fleet, revision, () => {})
    return fleet
  }
  /** The place at a revision, from the fleet's own memory of the last places. */
  const placeAt = async (revision: number): Promise<Place> => {
    if (revision === 0) return ORIGIN
    return (await at(revision)).place
  }
  return {
    at,
    async entry(revision) {
      const [entry] = await store.read(await placeAt(revision - 1), 1)
      if (entry === undefined) throw new RangeError(`the log ends before revision ${revision}`)
      return entry
    },
    async find(entryId, basis) {
      // an entry stands right behind its basis where the store compares, and a little later where it does not
      const entries = await store.read(await placeAt(basis), READ_LIMIT)
      return entries.find(({ id }) => id === entryId)
    },
    async follow(after, upTo, each) {
      await advance(await at(after), upTo, each)
    },
  }
}

/** Applies entries with a pause after each. */
function* applyEach(fleet: Fleet, entries: readonly LogEntry[], each: (fleet: Fleet, applied: Applied) => void): Generator<void, void> {
  for (const entry of entries) {
    each(fleet, { entry, verdicts: fleet.apply(entry) })
    yield
  }
}
