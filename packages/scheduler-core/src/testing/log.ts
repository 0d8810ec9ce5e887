import type { Void } from '../claims/judge.ts'
import { Fleet } from '../fleet/fleet.ts'
import { type Change, ENTRY_FORMAT, type Entry, type LogEntry } from '../records/change.ts'
import type { Place } from '../records/place.ts'

/** A log to which a test appends entries, and the fleet to which they are applied. */
export interface TestLog {
  readonly fleet: Fleet
  readonly entries: readonly LogEntry[]
  /**
   * Appends an entry with these changes and applies it. `basis` is the log position on which the changes were decided. The default is the
   * end of the log.
   */
  append(changes: readonly Change[], options?: { readonly basis?: Place; readonly at?: number; readonly id?: string }): readonly Void[]
}

/** Creates an empty log. The ids of its entries are e1, e2, ..., and by default their store time is 1000 ms. */
export function aLog(fleet = new Fleet()): TestLog {
  const entries: LogEntry[] = []
  return {
    fleet,
    entries,
    append(changes, { basis = fleet.place, at = Math.max(1_000, fleet.now), id = `e${entries.length + 1}` } = {}) {
      const entry: Entry = { format: ENTRY_FORMAT, id, writer: 'test', basis, changes }
      const logged: LogEntry = { ...entry, revision: entries.length + 1, at }
      entries.push(logged)
      return fleet.apply(logged)
    },
  }
}
