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
import { type DecisionStore, isUnreadable } from '../db/decisions.ts'
import type { StoredDecision } from '../db/rows.ts'
import { answerInPieces } from '../replica/question.ts'
import type { Replica } from '../replica/replica.ts'
import type { AggregateDone } from './aggregates.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import { InputFault } from './outcome.ts'
import { checkRange } from './text.ts'
import { createTurns, decidingNow, type Sides, sidesOf } from './tried-edit.ts'

export interface AggregateReplayInput {
  /** How many of the last requests, at most; null: 200. */
  readonly sample: number | null
  readonly deadlineMs: number | null
}

/** A request that would fare otherwise with the edit. */
export interface ReplayedOtherwise {
  readonly decision: DecisionView
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly hostsBefore: readonly string[]
  readonly hostsAfter: readonly string[]
  readonly because: string
}

/** How many more instances of a flavor fit. */
export interface FlavorRoom {
  readonly flavor: string
  readonly before: number
  readonly after: number
  /** False: at least so many, as there was no time to count on. */
  readonly exact: boolean
  /** Zones that have any on either side, those that change most first. */
  readonly zones: readonly ZoneRoom[]
}

export interface ZoneRoom {
  readonly zone: string
  readonly before: number
  readonly after: number
}

/** What the last requests would meet on the fleet of now, each asked anew and by itself, without the edit and with it. */
export interface AggregateReplay {
  /** Revision of that fleet. */
  readonly asOf: number
  /** Requests that were to be asked. */
  readonly drawn: number
  readonly sampled: number
  readonly leftOut: { readonly outOfTime: number; readonly notReplayable: number; readonly unreadable: number }
  readonly counts: Readonly<Record<Agreement, number>>
  /** New failures first, then new placements, then other hosts. */
  readonly otherwise: readonly ReplayedOtherwise[]
  /** Of the flavors that were asked for most. */
  readonly room: readonly FlavorRoom[]
}

/** Asks the last requests again with an edit that was only tried; null for one that was made. Throws InputFault. */
export type ReplayAggregateEdit = (done: AggregateDone, input: AggregateReplayInput) => Promise<AggregateReplay | null>

export interface AggregateReplayOptions {
  readonly replica: Replica
  readonly store: DecisionStore
  readonly decisions: Pick<Decisions, 'of' | 'caughtUp'>
}

const defaults = { sample: 200, deadlineMs: 10_000 }
const most = { sample: 1_000, deadlineMs: 30_000 }
/** Requests that are told; all are counted. */
const TOLD = 100
const FLAVORS = 5
/** Zones that are told of a flavor. */
const ZONES = 20
const MOST_COUNTED = 1_000_000
const kinds = ['NEW_FAILURE', 'NEW_PLACEMENT', 'ELSEWHERE'] as const

export function createAggregateReplay({ replica, store, decisions }: AggregateReplayOptions): ReplayAggregateEdit {
  const inTurn = createTurns()
  const replayEdit = async ({ change }: AggregateDone, sample: number, isOver: () => boolean): Promise<AggregateReplay> => {
    await decisions.caughtUp()
    const rows = await store.list({ first: sample })
    const readable = rows.filter((row): row is StoredDecision => !isUnreadable(row))
    const sides = await sidesOf(replica, change)
    const tally = createTally(sides)
    await answerInPieces(tally.all(readable, isOver))
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

type Told = Omit<ReplayedOtherwise, 'decision'> & { readonly stored: StoredDecision }

function createTally(sides: Sides) {
  const counts: Record<Agreement, number> = { SAME: 0, ELSEWHERE: 0, NEW_FAILURE: 0, NEW_PLACEMENT: 0 }
  const told: Record<Told['kind'], Told[]> = { NEW_FAILURE: [], NEW_PLACEMENT: [], ELSEWHERE: [] }
  let missed = 0
  function* add(stored: StoredDecision): Steps<void> {
    const { record } = stored
    const profile = decidingNow(sides.now, record.profile)
    try {
      const hostsBefore = (yield* replayOtherwiseInSteps(sides.now, [], record, profile)).parts.map(hostKey)
      const { agreement, hosts: hostsAfter, because } = yield* decideOtherwiseInSteps(sides.edited, [], record, hostsBefore, profile)
      counts[agreement]++
      if (agreement === 'SAME' || told[agreement].length >= TOLD) return
      told[agreement].push({ stored, kind: agreement, hostsBefore, hostsAfter, because: yield* because() })
    } catch (error) {
      // a claim that it moves, say, is not there any more, or a part outside of the process was not asked about a host
      if (!(error instanceof RangeError)) throw error
      missed++
    }
  }
  return {
    counts,
    notReplayable: () => missed,
    otherwise: () => kinds.flatMap((kind) => told[kind]).slice(0, TOLD),
    *all(stored: readonly StoredDecision[], isOver: () => boolean): Steps<void> {
      for (const one of stored) {
        if (isOver()) return
        yield* add(one)
        yield
      }
    },
  }
}

/** Counts the flavors that were asked for most: one more of the last request of each, on both sides. */
async function roomOf(sides: Sides, stored: readonly StoredDecision[], isOver: () => boolean): Promise<FlavorRoom[]> {
  const asked = new Map<string, { readonly request: RequestSpec; readonly profile: string; count: number }>()
  for (const { record } of stored) {
    const request = currentSpec(record.request)
    const { name } = request.flavor
    // what hangs together with others is not room of a flavor
    if (!name || request.gang.length > 0 || request.instanceGroup || record.source !== undefined) continue
    const known = asked.get(name)
    if (known !== undefined) known.count++
    else asked.set(name, { request: { ...request, numInstances: 1 }, profile: record.profile, count: 1 })
  }
  const room: FlavorRoom[] = []
  for (const [flavor, { request, profile }] of [...asked].sort(([, a], [, b]) => b.count - a.count).slice(0, FLAVORS)) {
    if (isOver()) break
    const count = (fleet: Fleet) =>
      answerInPieces(
        countCapacity(fleet, {
          request,
          profile: decidingNow(sides.now, profile),
          seed: 'counted',
          limit: MOST_COUNTED,
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
