import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkNames, columnsOf, type FleetColumn, type HostColumnsView, leftAt, recordsAt } from './fleet-columns.ts'

/** Sent to a reader that missed changes. The reader must read all hosts again, and then follow the changes from `resumeAt` on. */
export interface Gap {
  readonly missedFrom: number
  readonly resumeAt: number
}

const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 60_000

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

/**
 * Sends the changed hosts in their present state, at most once per interval. Between two events only the ordinals of changed hosts are
 * stored. Returns a function that stops the stream.
 */
export function followFleet(
  replica: Pick<Replica, 'fleet'>,
  { columns, after, intervalMs }: DeltaOptions,
  touched: (listener: (ordinals: readonly number[]) => void) => () => void,
  push: (delta: FleetDelta) => void,
): () => void {
  const changed = new Set<number>()
  let from = after
  let timer: ReturnType<typeof setTimeout> | undefined
  const publish = (): void => {
    timer = undefined
    const { fleet } = replica
    const records = recordsAt(fleet, changed)
    const left = leftAt(fleet, changed)
    changed.clear()
    const to = fleet.place.revision
    push({ ...columnsOf(fleet, records, columns), left, from, to, at: fleet.now, gap: null })
    from = to
  }
  const soon = (): void => {
    timer ??= setTimeout(publish, intervalMs)
  }
  const { fleet } = replica
  const { revision } = fleet.place
  // this replica is behind the reader, or the reader has read a different log; in both cases the reader must read all hosts again
  if (after > revision) {
    push({
      ...columnsOf(fleet, [], columns),
      left: [],
      from: after,
      to: revision,
      at: fleet.now,
      gap: { missedFrom: after, resumeAt: revision },
    })
    from = revision
  } else {
    for (const record of fleet.hosts.records) if (record.revision > after) changed.add(record.index)
    if (changed.size > 0) publish()
  }
  const stop = touched((ordinals) => {
    for (const ordinal of ordinals) changed.add(ordinal)
    if (changed.size > 0) soon()
  })
  return () => {
    stop()
    clearTimeout(timer)
  }
}

/** Merges two events that a slow reader did not consume. The result has the later state of every host in the events. */
export function mergeDeltas(
  replica: Pick<Replica, 'fleet'>,
  columns: readonly FleetColumn[],
  earlier: FleetDelta,
  later: FleetDelta,
): FleetDelta {
  const { fleet } = replica
  const ordinals = new Set([...earlier.ordinals, ...later.ordinals, ...earlier.left, ...later.left])
  const records = recordsAt(fleet, ordinals)
  return {
    ...columnsOf(fleet, records, columns),
    left: leftAt(fleet, ordinals),
    from: earlier.from,
    to: later.to,
    at: later.at,
    gap: earlier.gap ?? later.gap,
  }
}
