import { compareFleets, type Difference, Fleet, type LogEntry, rebuildFleet } from '@gantt/scheduler-core'
import { runYielding } from '../../event-loop/pauses.ts'
import { ENTRIES_AT_ONCE, type LogReader } from '../../sync/synchronizer.ts'
import type { Replica } from '../replica.ts'
import type { Applied } from '../replica-options.ts'

export interface HealOptions {
  /** Starts from the newest checkpoint at or before this revision; undefined: from the newest checkpoint. */
  readonly from: number | undefined
  readonly dryRun: boolean
}

export interface Healed {
  /** The revision of the checkpoint that was used; 0 for the beginning of the log. */
  readonly from: number
  /** The revision of both states at the end. */
  readonly revision: number
  /** How many differences there are between the state of this replica and the state that the log implies. */
  readonly count: number
  /** The first hundred differences: `before` is this replica's state, and `after` the state that the log implies. */
  readonly differences: readonly Difference[]
}

/**
 * The error if the replica's fleet was replaced during the comparison, or if its position is not in the log. No comparison is then
 * possible.
 */
export class HealError extends Error {
  override readonly name = 'HealError'
}

const LISTED = 100

/**
 * Rebuilds this replica's state from a checkpoint and the log, reports the differences, and replaces the state unless it is a dry run.
 * Works in steps. Calls are answered meanwhile, and both states follow the log together. Throws HealError, and RangeError if the log does
 * not go back to `from`.
 */
export async function healReplica(
  replica: Pick<Replica, 'fleet' | 'onApplied' | 'adopt'>,
  log: LogReader,
  { from, dryRun }: HealOptions,
): Promise<Healed> {
  const before = replica.fleet
  const missed: LogEntry[] = []
  let failure: Error | undefined
  let follow = (entry: LogEntry): void => void missed.push(entry)
  const stop = replica.onApplied(({ entry }: Applied) => {
    try {
      if (failure === undefined) follow(entry)
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
    }
  })
  try {
    const checkpoint = await log.loadCheckpoint(Math.min(from ?? Number.MAX_SAFE_INTEGER, before.place.revision))
    const after = checkpoint === undefined ? new Fleet(before) : await runYielding(rebuildFleet(checkpoint, before))
    const begun = after.place.revision
    while (after.place.revision < before.place.revision && !missed.some(({ revision }) => revision === after.place.revision + 1)) {
      const entries = await log.read(after.place, ENTRIES_AT_ONCE)
      if (entries.length === 0)
        throw new HealError(`the log ends at revision ${after.place.revision}; this replica is at ${before.place.revision}`)
      await runYielding(applyUpTo(after, entries, () => before.place.revision))
      assertSame(replica, before)
    }
    // the rest of this step runs without yielding, so that no entry is applied meanwhile
    for (const entry of missed) if (entry.revision === after.place.revision + 1) after.apply(entry)
    if (after.place.revision !== before.place.revision || after.place.id !== before.place.id)
      throw new HealError(`the log has another entry at revision ${before.place.revision} than this replica: restart the replica`)
    follow = (entry) => void after.apply(entry)

    const { count, differences } = await runYielding(collect(before, after))
    assertSame(replica, before)
    if (failure !== undefined) throw failure
    if (!dryRun) replica.adopt(after)
    return { from: begun, revision: after.place.revision, count, differences }
  } finally {
    stop()
  }
}

function* applyUpTo(fleet: Fleet, entries: readonly LogEntry[], head: () => number): Generator<void, void> {
  for (const entry of entries) {
    if (entry.revision > head()) return
    yield* fleet.applyInSteps(entry)
    yield
  }
}

function* collect(before: Fleet, after: Fleet): Generator<void, Pick<Healed, 'count' | 'differences'>> {
  const differences: Difference[] = []
  let count = 0
  for (const found of compareFleets(before, after)) {
    count += found.length
    if (differences.length < LISTED) differences.push(...found.slice(0, LISTED - differences.length))
    yield
  }
  return { count, differences }
}

function assertSame({ fleet }: Pick<Replica, 'fleet'>, before: Fleet): void {
  if (fleet !== before) throw new HealError('the replica continued from a checkpoint meanwhile: heal again')
}
