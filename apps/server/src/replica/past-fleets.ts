import { copySteps, Fleet, type LogEntry, rebuildFleet } from '@gantt/scheduler-core'
import { type LogReader, LogTrimmedError, StoreWentBackError } from '../sync/synchronizer.ts'
import { realTimers, type Timers } from '../timers.ts'
import { inPieces } from './pieces.ts'
import type { Applied } from './replica-options.ts'

/** Hosts, claims and keys that fleets of the past may hold together; docs/receipts.md says what that is in bytes. */
export const KEPT_THINGS = 500_000
/** A fleet of which nobody asked for so long is let go. */
const IDLE_MS = 300_000
/** Entries that a fleet is moved on at most; beyond, it is looked for a nearer checkpoint. */
const WALK_ENTRIES = 10_000
const READ_LIMIT = 1_000

/**
 * Fleets as they were, for questions about the past. A few stay in memory where they were asked for last: the next question
 * about the same moment is answered at once, one about a later moment moves a fleet on. Nobody but these functions moves them.
 */
export interface PastFleets {
  /**
   * Reads the fleet at a revision, synchronously, and leaves it as it was. Throws RangeError when the log does not reach there,
   * however well it is remembered here: every replica answers alike.
   */
  read<Answer>(revision: number, use: (fleet: Fleet) => Answer): Promise<Answer>
  /** A fleet of the caller's own. Throws RangeError as `read` does. */
  at(revision: number): Promise<Fleet>
  /** How many are in memory, and how many hosts, claims and keys they hold. */
  readonly kept: { readonly fleets: number; readonly things: number }
  close(): void
}

interface Kept {
  readonly fleet: Fleet
  /** Stays at its checkpoint, so that what lies behind another one can be reached again. */
  readonly isAnchor: boolean
  usedAt: number
}

export function createPastFleets(store: LogReader, limit = KEPT_THINGS, timers: Timers = realTimers): PastFleets {
  const kept = new Set<Kept>()
  let turn: Promise<unknown> = Promise.resolve()
  const sweep = (): void => {
    for (const one of kept) if (timers.now() - one.usedAt > IDLE_MS) kept.delete(one)
  }
  const stopSweep = limit === 0 ? undefined : timers.every(IDLE_MS / 5, sweep)

  const things = (): number => [...kept].reduce((sum, { fleet }) => sum + sizeOf(fleet), 0)

  /** Keeps a fleet, and lets those go that were used least recently: one stays, however large it is. */
  const keep = (fleet: Fleet, isAnchor: boolean): void => {
    if (limit === 0) return
    kept.add({ fleet, isAnchor, usedAt: timers.now() })
    const oldestFirst = [...kept].sort((a, b) => a.usedAt - b.usedAt)
    for (const one of oldestFirst) if (kept.size > 1 && things() > limit) kept.delete(one)
  }

  const find = (revision: number): Kept | undefined => {
    for (const one of kept) {
      if (one.fleet.place.revision !== revision) continue
      one.usedAt = timers.now()
      return one
    }
    return undefined
  }

  /** The kept fleet that is moved on to a revision soonest. */
  const nearestBefore = (revision: number): Kept | undefined =>
    [...kept]
      .filter(({ fleet: { place } }) => place.revision < revision && revision - place.revision <= WALK_ENTRIES)
      .reduce<Kept | undefined>(
        (best, one) => (best === undefined || one.fleet.place.revision > best.fleet.place.revision ? one : best),
        undefined,
      )

  /** A fleet to be moved on, no longer kept; a copy of it where it is to stay. */
  const startFor = async (revision: number): Promise<Fleet> => {
    const near = nearestBefore(revision)
    if (near !== undefined && !near.isAnchor) {
      kept.delete(near)
      return near.fleet
    }
    const anchor = near?.fleet ?? (await fromCheckpoint(store, revision))
    if (near !== undefined) near.usedAt = timers.now()
    if (anchor.place.revision === revision || 2 * sizeOf(anchor) > limit) {
      if (near !== undefined) kept.delete(near)
      return anchor
    }
    if (near === undefined) keep(anchor, true)
    return inPieces(copySteps(anchor))
  }

  /** Makes the fleet at a revision and keeps it. One at a time: two questions about one moment need one fleet. */
  const make = async (revision: number): Promise<Fleet> => {
    const known = find(revision)
    if (known !== undefined) return known.fleet
    for (;;) {
      const isFromStore = nearestBefore(revision) === undefined
      const fleet = await startFor(revision)
      try {
        await advance(store, fleet, revision)
        keep(fleet, false)
        return fleet
      } catch (error) {
        const isGone = error instanceof StoreWentBackError || error instanceof LogTrimmedError
        // what is remembered may be of another history: made again from the store
        if (isGone) kept.clear()
        else keep(fleet, false)
        if (!isGone || isFromStore) throw error
      }
    }
  }

  const inTurn = <Answer>(work: () => Promise<Answer>): Promise<Answer> => {
    const answer = turn.then(work)
    turn = answer.catch(() => undefined)
    return answer
  }

  /** Whether the store still has the place of a fleet that is remembered. */
  const isThere = async ({ fleet }: Kept): Promise<boolean> => {
    try {
      await store.read(fleet.place, 1)
      return true
    } catch (error) {
      if (!(error instanceof StoreWentBackError || error instanceof LogTrimmedError)) throw error
      kept.clear()
      return false
    }
  }

  return {
    async read(revision, use) {
      const known = find(revision)
      // it may have moved on while the store was asked
      if (known !== undefined && (await isThere(known)) && known.fleet.place.revision === revision) return use(known.fleet)
      return inTurn(async () => use(await make(revision)))
    },
    at: (revision) =>
      inTurn(async () => {
        if (limit === 0) return make(revision)
        const known = find(revision)
        if (known !== undefined) await isThere(known)
        return inPieces(copySteps(await make(revision)))
      }),
    get kept() {
      return { fleets: kept.size, things: things() }
    },
    close() {
      stopSweep?.()
      kept.clear()
    },
  }
}

/** Applies the entries from where a fleet stands to a revision, in pieces, and calls back after each. */
export async function advance(store: LogReader, fleet: Fleet, upTo: number, each: (applied: Applied) => void = () => {}): Promise<void> {
  while (fleet.place.revision < upTo) {
    const entries = await store.read(fleet.place, Math.min(READ_LIMIT, upTo - fleet.place.revision))
    if (entries.length === 0) throw new RangeError(`the log ends at revision ${fleet.place.revision}; ${upTo} was asked for`)
    await inPieces(applyEach(fleet, entries, each))
  }
}

/** Applies entries with a pause after each. */
function* applyEach(fleet: Fleet, entries: readonly LogEntry[], each: (applied: Applied) => void): Generator<void, void> {
  for (const entry of entries) {
    each({ entry, verdicts: fleet.apply(entry) })
    yield
  }
}

async function fromCheckpoint(store: LogReader, atMost: number): Promise<Fleet> {
  const checkpoint = await store.loadCheckpoint(atMost)
  return checkpoint === undefined ? new Fleet() : inPieces(rebuildFleet(checkpoint))
}

const sizeOf = ({ hosts, ledger }: Fleet): number => hosts.count + ledger.claims.size + ledger.keyCount
