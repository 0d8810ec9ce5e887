import {
  type Agreement,
  type Capacity,
  countCapacity,
  currentSpec,
  decideOtherwiseInSteps,
  type Fleet,
  hostKey,
  type RequestSpec,
  replayOtherwiseInSteps,
  type Steps,
} from '@gantt/scheduler-core'
import { type DecisionStore, isUnreadable } from '../../db/tables/decisions.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Replica } from '../../replica/replica.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Decisions, DecisionView } from '../decision/decisions.ts'
import type { AggregateDone } from './aggregates.ts'
import { createTurns, decidingNow, type Sides, sidesOf } from './tried-edit.ts'

export interface AggregateReplayInput {
  /** At most this many recent requests are replayed; null: 200. */
  readonly sample: number | null
  /** After this time, no further request is replayed; null: 10 s. */
  readonly deadlineMs: number | null
}

/** A request whose result with the edit differs from its result without the edit. */
export interface ReplayedOtherwise {
  readonly decision: DecisionView
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly hostsBefore: readonly string[]
  readonly hostsAfter: readonly string[]
  readonly because: string
}

/** How many more instances of a flavor fit, before and after the edit. */
export interface FlavorRoom {
  readonly flavor: string
  readonly before: number
  readonly after: number
  /** False if counting stopped at the deadline or at a million instances, so that the true counts can be higher. */
  readonly exact: boolean
  /** The zones in which an instance fits before or after the edit, largest change first. */
  readonly zones: readonly ZoneRoom[]
}

export interface ZoneRoom {
  readonly zone: string
  readonly before: number
  readonly after: number
}

/** The results of recent requests on the present fleet, each decided independently, without the edit and with it. */
export interface AggregateReplay {
  /** The revision of the fleet on which the requests were replayed. */
  readonly asOf: number
  /** How many requests were selected to be replayed. */
  readonly drawn: number
  readonly sampled: number
  readonly leftOut: { readonly outOfTime: number; readonly notReplayable: number; readonly unreadable: number }
  readonly counts: Readonly<Record<Agreement, number>>
  /** The requests with different results: new failures first, then new placements, then placements on other hosts. */
  readonly otherwise: readonly ReplayedOtherwise[]
  /** The effect on the free capacity for the most frequently requested flavors. */
  readonly room: readonly FlavorRoom[]
}

/** Replays the last requests with the edit of a dry run. Returns null for an edit that was applied. Throws InputFault. */
export type ReplayAggregateEdit = (done: AggregateDone, input: AggregateReplayInput) => Promise<AggregateReplay | null>

export interface AggregateReplayOptions {
  readonly replica: Replica
  readonly store: DecisionStore
  readonly decisions: Pick<Decisions, 'of' | 'caughtUp'>
}

const defaults = { sample: 200, deadlineMs: 10_000 }
const most = { sample: 1_000, deadlineMs: 30_000 }
/** At most this many requests are listed; all are counted. */
const LISTED = 100
const FLAVORS = 5
/** At most this many zones are listed for a flavor. */
const ZONES = 20
const MAX_COUNTED = 1_000_000
const kinds = ['NEW_FAILURE', 'NEW_PLACEMENT', 'ELSEWHERE'] as const

export function createAggregateReplay({ replica, store, decisions }: AggregateReplayOptions): ReplayAggregateEdit {
  const inTurn = createTurns()
  const replayEdit = async ({ change }: AggregateDone, sample: number, isOver: () => boolean): Promise<AggregateReplay> => {
    await decisions.caughtUp()
    const rows = await store.list({ first: sample })
    const readable = rows.filter((row): row is StoredDecision => !isUnreadable(row))
    const sides = await sidesOf(replica, change)
    const tally = createTally(sides)
    await answerYielding(tally.all(readable, isOver))
    const room = await roomOf(sides, readable, isOver)
    const { notReplayable, counts, otherwise } = tally
    const sampled = counts.SAME + counts.ELSEWHERE + counts.NEW_FAILURE + counts.NEW_PLACEMENT
    return {
      asOf: sides.now.place.revision,
      drawn: rows.length,
      sampled,
      leftOut: {
        outOfTime: readable.length - sampled - notReplayable(),
        notReplayable: notReplayable(),
        unreadable: rows.length - readable.length,
      },
      counts,
      otherwise: otherwise().map(({ stored, ...one }) => ({ ...one, decision: decisions.of(stored) })),
      room,
    }
  }
  return (done, { sample, deadlineMs }) => {
    const wrong = [
      ...(sample === null ? [] : checkRange(['replay', 'sample'], sample, 1, most.sample)),
      ...(deadlineMs === null ? [] : checkRange(['replay', 'deadline'], deadlineMs, 1, most.deadlineMs, ' ms')),
    ]
    if (wrong.length > 0) return Promise.reject(new InputFault(wrong))
    if (!done.dryRun) return Promise.resolve(null)
    const over = performance.now() + (deadlineMs ?? defaults.deadlineMs)
    return inTurn(() => replayEdit(done, sample ?? defaults.sample, () => performance.now() >= over))
  }
}

type Listed = Omit<ReplayedOtherwise, 'decision'> & { readonly stored: StoredDecision }

function createTally(sides: Sides) {
  const counts: Record<Agreement, number> = { SAME: 0, ELSEWHERE: 0, NEW_FAILURE: 0, NEW_PLACEMENT: 0 }
  const listed: Record<Listed['kind'], Listed[]> = { NEW_FAILURE: [], NEW_PLACEMENT: [], ELSEWHERE: [] }
  let missed = 0
  function* add(stored: StoredDecision): Steps<void> {
    const { record } = stored
    const profile = decidingNow(sides.now, record.profile)
    try {
      const hostsBefore = (yield* replayOtherwiseInSteps(sides.now, [], record, profile)).parts.map(hostKey)
      const { agreement, hosts: hostsAfter, because } = yield* decideOtherwiseInSteps(sides.edited, [], record, hostsBefore, profile)
      counts[agreement]++
      if (agreement === 'SAME' || listed[agreement].length >= LISTED) return
      listed[agreement].push({ stored, kind: agreement, hostsBefore, hostsAfter, because: yield* because() })
    } catch (error) {
      // the request cannot be decided again, for example because the claim that it moves does not exist any more
      if (!(error instanceof RangeError)) throw error
      missed++
    }
  }
  return {
    counts,
    notReplayable: () => missed,
    otherwise: () => kinds.flatMap((kind) => listed[kind]).slice(0, LISTED),
    *all(stored: readonly StoredDecision[], isOver: () => boolean): Steps<void> {
      for (const one of stored) {
        if (isOver()) return
        yield* add(one)
        yield
      }
    },
  }
}

/**
 * Counts how many more instances of the most frequent flavors fit before and after the edit. Each flavor is represented by its last
 * request.
 */
async function roomOf(sides: Sides, stored: readonly StoredDecision[], isOver: () => boolean): Promise<FlavorRoom[]> {
  const asked = new Map<string, { readonly request: RequestSpec; readonly profile: string; count: number }>()
  for (const { record } of stored) {
    const request = currentSpec(record.request)
    const { name } = request.flavor
    // a gang, a member of a server group or a move does not show how many instances of its flavor fit
    if (!name || request.gang.length > 0 || request.instanceGroup || record.source !== undefined) continue
    const known = asked.get(name)
    if (known !== undefined) known.count++
    else asked.set(name, { request: { ...request, numInstances: 1 }, profile: record.profile, count: 1 })
  }
  const room: FlavorRoom[] = []
  for (const [flavor, { request, profile }] of [...asked].sort(([, a], [, b]) => b.count - a.count).slice(0, FLAVORS)) {
    if (isOver()) break
    const count = (fleet: Fleet) =>
      answerYielding(
        countCapacity(fleet, {
          request,
          profile: decidingNow(sides.now, profile),
          seed: 'counted',
          limit: MAX_COUNTED,
          groupsOf: ({ zone }) => [zone],
          isOver,
        }),
      )
    const before = await count(sides.now)
    const after = await count(sides.edited)
    room.push({ flavor, before: before.fits, after: after.fits, exact: before.exact && after.exact, zones: zonesOf(before, after) })
  }
  return room
}

function zonesOf(before: Capacity, after: Capacity): ZoneRoom[] {
  const fitsIn = (capacity: Capacity) => new Map(capacity.groups.map(({ key, fits }) => [key, fits]))
  const [was, is] = [fitsIn(before), fitsIn(after)]
  const change = (one: ZoneRoom): number => Math.abs(one.after - one.before)
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((zone): ZoneRoom => ({ zone, before: was.get(zone) ?? 0, after: is.get(zone) ?? 0 }))
    .filter((one) => one.before > 0 || one.after > 0)
    .sort((a, b) => change(b) - change(a))
    .slice(0, ZONES)
}
