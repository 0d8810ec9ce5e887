import type { Replica } from '../replica/replica.ts'
import { checkNames, columnsOf, type FleetColumn, type HostColumnsView, leftAt, recordsAt } from './fleet-columns.ts'
import { InputFault } from './outcome.ts'

/** What a reader missed: read everything again, then go on from here. */
export interface Gap {
  readonly missedFrom: number
  readonly resumeAt: number
}

const MIN_INTERVAL_MS = 100
const MAX_INTERVAL_MS = 60_000

/** What changed among all hosts since the last event of the same stream. */
export interface FleetDelta extends HostColumnsView {
  /** Ordinals of hosts that left. */
  readonly left: readonly number[]
  readonly from: number
  readonly to: number
  /** Store time, milliseconds since 1970. */
  readonly at: number
  readonly gap: Gap | null
}

export interface DeltaOptions {
  readonly columns: readonly FleetColumn[]
  /** What the reader has. */
  readonly after: number
  readonly intervalMs: number
}

/** Throws InputFault for columns or an interval that cannot be served. */
export function checkDeltaOptions({ columns, intervalMs }: DeltaOptions): void {
  checkNames(columns, ['columns'])
  if (intervalMs < MIN_INTERVAL_MS || intervalMs > MAX_INTERVAL_MS) throw InputFault.at(['interval'], intervalMs, 'from PT0.1S to PT60S')
}

/**
 * Tells at most once per interval which hosts changed, as they are then. Hosts are remembered by their ordinals only, so a
 * slow reader costs no more than a set of numbers. Answers how to stop.
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
  // a reader that is ahead of this replica has seen another history, or this replica is behind: it has to begin again
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

/** One event for two that a slow reader did not take: the later state of every host of either. */
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
