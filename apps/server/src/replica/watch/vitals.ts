import { pluginsOf } from '@gantt/scheduler-core'
import type { Vitals } from '../../stores/replicas.ts'
import type { Timers } from '../../timers.ts'
import type { Replica } from '../replica.ts'
import { countStates } from './host-states.ts'

/** Rates are averages over this time, in milliseconds. */
const WINDOW_MS = 60_000
/**
 * The counters are sampled at most once in this time, in milliseconds. Soon after the start, a rate covers less than its window, but at
 * least this time.
 */
const NOTED_EVERY_MS = 1_000

/** The counters at one time. */
interface Note {
  readonly at: number
  readonly decisions: number
  readonly proposals: number
  readonly conflicts: number
}

/**
 * Returns a function that reports the present activity of a replica. Rates cover at least WINDOW_MS, or the time since the start if that is
 * shorter.
 */
export function createVitals(replica: Pick<Replica, 'tally' | 'fleet'>, { now }: Pick<Timers, 'now'>): () => Vitals {
  const notes: Note[] = [noteOf(replica, now())]
  return () => {
    const note = noteOf(replica, now())
    // the first note is from before the window, and the notes therefore cover the whole window
    while (notes[1] !== undefined && note.at - notes[1].at >= WINDOW_MS) notes.shift()
    const first = notes[0] ?? note
    if (note.at - (notes.at(-1) ?? note).at >= NOTED_EVERY_MS) notes.push(note)
    return {
      decisionsPerSecond: ((note.decisions - first.decisions) * 1_000) / Math.max(NOTED_EVERY_MS, note.at - first.at),
      proposals: note.proposals - first.proposals,
      conflicts: note.conflicts - first.conflicts,
      memoryBytes: process.memoryUsage.rss(),
      hosts: countStates(replica.fleet),
      plugins: pluginsOf(replica.fleet).list.map(({ name, version }) => ({ name, version })),
    }
  }
}

function noteOf({ tally: { counted, fruitless, unlogged } }: Pick<Replica, 'tally'>, at: number): Note {
  const conflicts = [...fruitless.values()].reduce((sum, times) => sum + times, 0)
  return { at, decisions: counted + unlogged, proposals: counted + conflicts, conflicts }
}
