import { copyFleet, Fleet, type FleetReader, rebuildFleet } from '@gantt/scheduler-core'
import { ENTRIES_AT_ONCE, type LogReader, LogTrimmedError, StoreWentBackError } from '../sync/synchronizer.ts'
import { realTimers, type Timers } from '../timers.ts'
import { answerInPieces, pauseOfQuestion } from './question.ts'
import type { Applied, Still } from './replica-options.ts'

/** Hosts, claims and keys that fleets of the past may hold together; docs/receipts.md says what that is in bytes. */
export const KEPT_THINGS = 500_000
/**
 * Changes after which a fleet on its way leaves a milestone behind: as many are applied at most where it came by before. Of a
 * large fleet, which takes longer to copy, more: a fraction of its hosts.
 */
const MILESTONE = 250
const MILESTONE_PER_HOST = 1 / 40
/** Fleets at the moments asked about last that are kept beside the milestones. */
const KEPT_MOMENTS = 8
/** Copies of the living fleet that are kept, spread over the time since it began; fewer where they hold more than the others may. */
const KEPT_STILLS = 8
const FEWEST_STILLS = 2
/** A fleet of which nobody asked for so long is let go. */
const IDLE_MS = 300_000
/** Entries that a fleet is moved on at most; beyond, it is looked for a nearer checkpoint. */
const WALK_ENTRIES = 10_000

/**
 * Fleets as they were, for questions about the past. Some stay in memory: copies of the living fleet that were made anyway, and
 * fleets at the moments asked about last, at their checkpoint and on the way from it. None of them is moved: a question about another moment goes on from a copy of the nearest before
 * it, which shares with it what does not change.
 */
export interface PastFleets {
  /**
   * Reads the fleet at a revision, synchronously, and leaves it as it was. Throws RangeError when the log does not reach there,
   * however well it is remembered here: every replica answers alike.
   */
  read<Answer>(revision: number, use: (fleet: Fleet) => Answer): Promise<Answer>
  /** A fleet of the caller's own. Throws RangeError as `read` does. */
  at(revision: number): Promise<Fleet>
  /** Keeps a copy of the living fleet: what is asked about after it goes on from there. Drops those of another living fleet. */
  keep(still: Still): void
  /** How many are in memory, and how many hosts, claims and keys they hold. */
  readonly kept: { readonly fleets: number; readonly things: number }
  close(): void
}

interface Kept {
  readonly fleet: Fleet
  /** A moment that was asked about; a place on the way from a checkpoint, or at it; the living fleet as it was. */
  readonly kind: 'moment' | 'milestone' | 'still'
  /** What it shares with all fleets that come from the same checkpoint: counted once, as long as one of them is kept. */
  readonly origin: Origin
  /** What it holds beside that: its columns, and what has changed since the one before it. */
  readonly things: number
  usedAt: number
}

/** A checkpoint as it was loaded once, or the living fleet, which is there anyway: fleets that come from two share nothing. */
interface Origin {
  readonly things: number
}

/** Of all copies of one living fleet. */
interface Living extends Origin {
  readonly fleet: Fleet
}

export interface PastFleetsOptions {
  /** Hosts, claims and keys that are kept together; KEPT_THINGS if not given. */
  readonly limit?: number
  readonly timers?: Timers
  /** Who reads the log into these fleets, and decides on them. */
  readonly reader?: FleetReader | undefined
}

export function createPastFleets(
  store: LogReader,
  { limit = KEPT_THINGS, timers = realTimers, reader }: PastFleetsOptions = {},
): PastFleets {
  const kept = new Set<Kept>()
  let living: Living | undefined
  /** A moment that was let go, of which the next copy takes over the columns. */
  let spare: Fleet | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const sweep = (): void => {
    spare = undefined
    // a still costs what has changed since, and comes once only
    for (const one of kept) if (one.kind !== 'still' && timers.now() - one.usedAt > IDLE_MS) kept.delete(one)
  }
  const stopSweep = limit === 0 ? undefined : timers.every(IDLE_MS / 5, sweep)

  const sum = (parts: Iterable<{ readonly things: number }>): number => Array.from(parts).reduce((all, one) => all + one.things, 0)
  const origins = (): ReadonlySet<Origin> => new Set(Array.from(kept, ({ origin }) => origin))
  const things = (): number => sum(origins()) + sum(kept)
  const stills = (): Kept[] => [...kept].filter(({ kind }) => kind === 'still').sort((a, b) => revisionOf(a) - revisionOf(b))
  /** All but the copies of the living fleet, which are few. */
  const others = (): Kept[] => [...kept].filter(({ kind }) => kind !== 'still').sort((a, b) => a.usedAt - b.usedAt)
  /** What fleets of one checkpoint share is needed for each of them: it may be as large as it is. */
  const isOver = (): boolean => {
    const asked = others()
    const loaded = [...origins()].filter((origin) => origin !== living)
    return asked.length > 1 && sum(asked) + (loaded.length > 1 ? sum(loaded) : 0) > limit
  }
  /** The columns of a moment are taken over by the next: those of a large fleet would be much garbage. */
  const letGo = (one: Kept): void => {
    kept.delete(one)
    if (one.kind === 'moment') spare = one.fleet
  }

  /** Keeps a fleet, and lets those go that were used least recently. */
  const keep = (one: Omit<Kept, 'usedAt'>): void => {
    if (limit === 0) return
    kept.add({ ...one, usedAt: timers.now() })
    const oldestFirst = others()
    for (const moment of oldestFirst.filter(({ kind }) => kind === 'moment').slice(0, -KEPT_MOMENTS)) letGo(moment)
    for (const oldest of oldestFirst) if (isOver() && kept.has(oldest)) letGo(oldest)
  }

  /** A copy in the columns of a moment that was let go, if there is one. */
  const copyOf = (fleet: Fleet): Fleet => {
    const copy = copyFleet(fleet, spare)
    spare = undefined
    return copy
  }

  const find = (revision: number): Kept | undefined => {
    for (const one of kept) {
      if (one.fleet.place.revision !== revision) continue
      one.usedAt = timers.now()
      return one
    }
    return undefined
  }

  /** The kept fleet from which it is nearest to a revision. */
  const nearestBefore = (revision: number): Kept | undefined =>
    [...kept]
      .filter(({ fleet: { place } }) => place.revision < revision && revision - place.revision <= WALK_ENTRIES)
      .reduce<Kept | undefined>(
        (best, one) => (best === undefined || one.fleet.place.revision > best.fleet.place.revision ? one : best),
        undefined,
      )

  /** A fleet to be moved on, and where it comes from. */
  const startFor = async (revision: number): Promise<Pick<Kept, 'fleet' | 'origin'>> => {
    const near = nearestBefore(revision)
    if (near !== undefined) {
      near.usedAt = timers.now()
      return { fleet: copyOf(near.fleet), origin: near.origin }
    }
    const fleet = await fromCheckpoint(store, revision, reader)
    const origin: Origin = { things: sizeOf(fleet) }
    keep({ fleet, kind: 'milestone', origin, things: 0 })
    return { fleet: limit === 0 ? fleet : copyFleet(fleet), origin }
  }

  /** Moves a fleet on to a revision and keeps it there, and copies of it on the way. */
  const walk = async ({ fleet, origin }: Pick<Kept, 'fleet' | 'origin'>, revision: number): Promise<void> => {
    let changed = 0
    for await (const { entry } of advance(store, fleet, revision)) {
      changed += entry.changes.length
      if (limit === 0 || changed < Math.max(MILESTONE, fleet.hosts.count * MILESTONE_PER_HOST) || entry.revision === revision) continue
      keep({ fleet: copyFleet(fleet), kind: 'milestone', origin, things: fleet.hosts.count + changed })
      changed = 0
    }
    keep({ fleet, kind: 'moment', origin, things: fleet.hosts.count + changed })
  }

  /** Keeps a copy of the living fleet; of too many, the one goes that leaves the smallest gap, and neither the first nor the last. */
  const keepStill = ({ fleet, of, changes }: Still): void => {
    if (living?.fleet !== of) {
      for (const one of kept) if (one.origin === living) kept.delete(one)
      living = { fleet: of, things: 0 }
    }
    keep({ fleet, kind: 'still', origin: living, things: fleet.hosts.count + changes })
    for (let all = stills(); all.length > KEPT_STILLS || (all.length > FEWEST_STILLS && sum(all) > limit); all = stills()) {
      const gaps = all.slice(1, -1).map((one, i) => ({ one, gap: revisionOf(all[i + 2] as Kept) - revisionOf(all[i] as Kept) }))
      kept.delete(gaps.reduce((least, other) => (other.gap < least.gap ? other : least)).one)
    }
  }

  /** Makes the fleet at a revision and keeps it. One at a time: two questions about one moment need one fleet. */
  const make = async (revision: number): Promise<Fleet> => {
    const known = find(revision)
    if (known !== undefined) return known.fleet
    for (;;) {
      const isFromStore = nearestBefore(revision) === undefined
      try {
        const start = await startFor(revision)
        await walk(start, revision)
        return start.fleet
      } catch (error) {
        const isGone = error instanceof StoreWentBackError || error instanceof LogTrimmedError
        // what is remembered may be of another history: made again from the store
        if (isGone) kept.clear()
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
      // while the store was asked it may have been let go
      if (known !== undefined && (await isThere(known)) && kept.has(known)) return use(known.fleet)
      return inTurn(async () => use(await make(revision)))
    },
    at: (revision) =>
      inTurn(async () => {
        if (limit === 0) return make(revision)
        const known = find(revision)
        if (known !== undefined) await isThere(known)
        return copyFleet(await make(revision))
      }),
    keep: keepStill,
    get kept() {
      return { fleets: kept.size, things: things() }
    },
    close() {
      stopSweep?.()
      kept.clear()
      living = undefined
      spare = undefined
    },
  }
}

/** Applies the entries from where a fleet stands to a revision, one for each step of the loop that asks. The fleet is the caller's own. */
export async function* advance(store: LogReader, fleet: Fleet, upTo: number): AsyncGenerator<Applied, void> {
  while (fleet.place.revision < upTo) {
    const entries = await store.read(fleet.place, Math.min(ENTRIES_AT_ONCE, upTo - fleet.place.revision))
    if (entries.length === 0) throw new RangeError(`the log ends at revision ${fleet.place.revision}; ${upTo} was asked for`)
    for (const entry of entries) {
      yield { entry, verdicts: await answerInPieces(fleet.applyInSteps(entry)) }
      const pause = pauseOfQuestion()
      if (pause !== undefined) await pause
    }
  }
}

async function fromCheckpoint(store: LogReader, atMost: number, reader: FleetReader | undefined): Promise<Fleet> {
  const checkpoint = await store.loadCheckpoint(atMost)
  return checkpoint === undefined ? new Fleet(reader) : answerInPieces(rebuildFleet(checkpoint, reader))
}

const revisionOf = ({ fleet }: Kept): number => fleet.place.revision

const sizeOf = ({ hosts, ledger }: Fleet): number => hosts.count + ledger.claims.size + ledger.keyCount
