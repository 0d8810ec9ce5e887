import type { LogEntry } from '@gantt/scheduler-core'
import { createTurns, type Turns } from '../event-loop/pauses.ts'
import { realTimers } from '../timers.ts'

/** Separate from the turns of queries, so that a replica that follows the log does not wait for queries. */
const turns = createTurns(realTimers)

/**
 * Parses the entries in these rows or messages, with pauses. An entry may contain hundreds of decisions, which take milliseconds to parse.
 */
export async function parseEntriesYielding<Stored>(
  stored: readonly Stored[],
  toEntry: (one: Stored) => LogEntry,
  { pause }: Turns = turns,
): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for (const one of stored) {
    const due = pause()
    if (due !== undefined) await due
    entries.push(toEntry(one))
  }
  return entries
}
