import { atOnce, type Fleet, type HostRecord, inSlices, type Steps, sortInSteps } from '@gantt/scheduler-core'
import { createPause, runYielding } from '../../event-loop/pauses.ts'
import type { Replica } from '../../replica/replica.ts'
import { realTimers, type Timers } from '../../timers.ts'
import { InputFault } from '../calls/outcome.ts'
import { snapshotOf } from '../moments/snapshots.ts'
import type { LastHeal } from '../watch/heals.ts'
import { checkNames, columnsOf, type FleetColumn, type HostColumnsView, readColumns } from './fleet-columns.ts'
import { Touches } from './touches.ts'

/** Sent to a reader that missed changes. The reader must read all hosts again, and then follow the changes from `resumeAt` on. */
export interface Gap {
  readonly missedFrom: number
  readonly resumeAt: number
}

const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 60_000
/** The changes of at most this many hosts are read without yielding, from the live fleet. More are read from a copy, with pauses. */
const FEW_HOSTS = 256
/** At most this many readings are kept for other streams. They are discarded when a further entry is applied. */
const MAX_KEPT = 16

/** The changes of all hosts since the last event of the same stream. */
export interface FleetDelta extends HostColumnsView {
  /** The ordinals of the hosts that left the fleet. */
  readonly left: readonly number[]
  readonly from: number
  readonly to: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly gap: Gap | null
}

export interface DeltaOptions {
  readonly columns: readonly FleetColumn[]
  /** The revision up to which the reader has the state. */
  readonly after: number
  readonly intervalMs: number
}

/** Throws InputFault for invalid columns or an invalid interval. */
export function checkDeltaOptions({ columns, intervalMs }: DeltaOptions): void {
  checkNames(columns, ['columns'])
  if (intervalMs < MIN_INTERVAL_MS || intervalMs > MAX_INTERVAL_MS) throw InputFault.at(['interval'], intervalMs, 'from PT0.1S to PT60S')
}

/** One reader of the changes. */
export interface DeltaReader {
  /**
   * Begins to listen. `due` is called when there may be changes to read: at once if the reader is not up to date, and later at most once
   * per interval. Returns a function that stops listening.
   */
  listen(due: () => void): () => void
  /**
   * The changed hosts in their present state. Undefined if none have changed since the last call, or if the reader has stopped. A slow
   * reader gets the changes since its last call in one event, so no events have to be stored for it.
   */
  read(): Promise<FleetDelta | undefined>
}

/** Runs long work, and lets the process do other things between its steps. Tests replace it. */
export interface StepRunner {
  pause(): Promise<void> | undefined
  run<Result>(work: Steps<Result>): Promise<Result>
  /** Resolves in the next turn of the event loop. */
  turn(): Promise<void>
}

const realRunner: StepRunner = {
  pause: createPause(),
  run: (work) => runYielding(work),
  turn: () => new Promise((resolve) => void realTimers.after(0, resolve)),
}

interface Source {
  readonly replica: Pick<Replica, 'fleet'>
  /** Calls the listener with the ordinals of the hosts that an applied entry concerns. Returns a function that removes the listener. */
  touched(listener: (ordinals: readonly number[]) => void): () => void
  /** The last heal of the replica. Readers that have read up to its revision read all hosts again. Absent: there was none. */
  readonly healed?: () => LastHeal | undefined
  readonly runner?: StepRunner
  /** The timers of the intervals. */
  readonly timers?: Pick<Timers, 'after'>
}

/**
 * The hosts that a reader has to read: those of this touch and of later touches, those that changed after this revision, or all hosts, of
 * which at least this many ordinals were used.
 */
type Since = { readonly touch: number } | { readonly revision: number } | { readonly ordinals: number }
type Reading = Omit<FleetDelta, 'from' | 'to' | 'at' | 'gap'>

/** Creates the readers of a replica. Readers that have to read the same hosts and columns share one reading. */
export function createFleetDeltas({ replica, touched, healed = () => undefined, runner = realRunner, timers = realTimers }: Source) {
  const open = new Set<(touch: number) => void>()
  let touches = new Touches()
  let unhear: () => void = () => undefined
  const hear = (ordinals: readonly number[]): void => {
    if (ordinals.length === 0) return
    const touch = touches.touch(ordinals)
    for (const note of open) note(touch)
  }
  const enter = (note: (touch: number) => void): (() => void) => {
    if (open.size === 0) unhear = touched(hear)
    open.add(note)
    return () => {
      open.delete(note)
      if (open.size > 0) return
      unhear()
      touches = new Touches()
      kept = undefined
    }
  }

  /** The readings of the fleet at its present revision. */
  let kept: { readonly fleet: Fleet; readonly revision: number; readonly readings: Map<string, Promise<Reading>> } | undefined
  const readShared = (columns: readonly FleetColumn[], since: Since): Promise<Reading> => {
    const { fleet } = replica
    const { revision } = fleet.place
    if (kept?.fleet !== fleet || kept.revision !== revision) kept = { fleet, revision, readings: new Map() }
    const { readings } = kept
    const key = JSON.stringify([since, columns])
    const known = readings.get(key)
    if (known !== undefined) return known
    const reading = readSince(columns, since)
    readings.set(key, reading)
    const [oldest] = readings.keys()
    if (readings.size > MAX_KEPT && oldest !== undefined) readings.delete(oldest)
    return reading
  }
  const readSince = (columns: readonly FleetColumn[], since: Since): Promise<Reading> => {
    const ordinals = 'touch' in since ? touches.since(since.touch) : 'ordinals' in since ? allOrdinals(replica.fleet, since) : undefined
    if (ordinals !== undefined && ordinals.length <= FEW_HOSTS)
      return Promise.resolve(atOnce(readChanges(replica.fleet, ordinals, columns)))
    const fleet = snapshotOf(replica)
    return runner.run('revision' in since ? readAfter(fleet, since.revision, columns) : readChanges(fleet, ordinals ?? [], columns))
  }

  /** Resolves when the large events before this one have had a turn of the event loop each. */
  let line: Promise<void> = Promise.resolve()
  const inLine = (): Promise<void> => {
    const mine = line
    line = mine.then(() => runner.turn())
    return mine
  }

  return (options: DeltaOptions): DeltaReader =>
    createReader(options, {
      replica,
      timers,
      healed,
      enter,
      inLine,
      pause: () => runner.pause(),
      read: (since) => readShared(options.columns, since),
    })
}

interface Shared {
  readonly replica: Pick<Replica, 'fleet'>
  readonly timers: Pick<Timers, 'after'>
  readonly healed: () => LastHeal | undefined
  readonly enter: (note: (touch: number) => void) => () => void
  readonly pause: () => Promise<void> | undefined
  readonly inLine: () => Promise<void>
  readonly read: (since: Since) => Promise<Reading>
}

function createReader(
  { columns, after, intervalMs }: DeltaOptions,
  { replica, timers, healed, enter, pause, inLine, read }: Shared,
): DeltaReader {
  const { revision } = replica.fleet.place
  let from = after
  // this replica is behind the reader, or the reader has read a different log; in both cases the reader must read all hosts again
  let gap = after > revision ? { missedFrom: after, resumeAt: revision } : null
  const heal = healed()
  let since: Since | undefined =
    heal !== undefined && after <= heal.revision ? { ordinals: heal.ordinals } : after < revision ? { revision: after } : undefined
  let isOver = false
  return {
    listen(due) {
      let stopTimer: (() => void) | undefined
      const leave = enter((touch) => {
        since ??= { touch }
        stopTimer ??= timers.after(intervalMs, () => {
          stopTimer = undefined
          due()
        })
      })
      if (gap !== null || since !== undefined) due()
      return () => {
        isOver = true
        leave()
        stopTimer?.()
      }
    },
    async read() {
      // many readers become due at the same time, so each waits for its turn
      const wait = pause()
      if (wait !== undefined) await wait
      if (isOver) return undefined
      const { fleet } = replica
      if (gap !== null) {
        const event = { ...columnsOf(fleet, [], columns), left: [], from, to: gap.resumeAt, at: fleet.now, gap }
        from = gap.resumeAt
        gap = null
        return event
      }
      if (since === undefined) return undefined
      const asked = since
      since = undefined
      const [to, at] = [fleet.place.revision, fleet.now]
      const reading = await read(asked)
      // the answer is made from the event without yielding, so streams that share a reading must not get it in the same turn
      if (reading.ordinals.length > FEW_HOSTS) await inLine()
      if (isOver || reading.ordinals.length + reading.left.length === 0) return undefined
      const event = { ...reading, from, to, at, gap: null }
      from = to
      return event
    },
  }
}

const allOrdinals = ({ hosts }: Fleet, { ordinals }: { readonly ordinals: number }): number[] =>
  Array.from({ length: Math.max(ordinals, hosts.count) }, (_, ordinal) => ordinal)

const ascending = (a: number, b: number): number => a - b

/** The hosts that changed after a revision, with those that left the fleet. */
function* readAfter(fleet: Fleet, revision: number, columns: readonly FleetColumn[]): Steps<Reading> {
  const ordinals: number[] = []
  for (const record of inSlices(fleet.hosts.records, FEW_HOSTS))
    if (record === undefined) yield
    else if (record.revision > revision) ordinals.push(record.index)
  return yield* readChanges(fleet, ordinals, columns)
}

/**
 * The present hosts at some ordinals, and the ordinals whose hosts have left the fleet. A heal can remove hosts that the log does not have,
 * and their ordinals are then beyond the table.
 */
function* readChanges(fleet: Fleet, ordinals: readonly number[], columns: readonly FleetColumn[]): Steps<Reading> {
  const sorted = yield* sortInSteps(ordinals, ascending)
  const records: HostRecord[] = []
  const left: number[] = []
  for (const ordinal of inSlices(sorted, FEW_HOSTS)) {
    if (ordinal === undefined) {
      yield
      continue
    }
    const record = fleet.hosts.records[ordinal]
    if (record !== undefined && record.gone === null) records.push(record)
    if (ordinal >= fleet.hosts.count || fleet.hosts.columns.gone[ordinal] === 1) left.push(ordinal)
  }
  return { ...(yield* readColumns(fleet, records, columns)), left }
}
