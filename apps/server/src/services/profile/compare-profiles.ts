import {
  type Agreement,
  type Decided,
  decideOtherwiseInSteps,
  enforcedEach,
  type Fleet,
  hostKey,
  isUnsolved,
  type LogEntry,
  type OtherDecision,
  type Profile,
  profileRef,
  proposalsBefore,
  replayOtherwiseInSteps,
  type Steps,
} from '@gantt/scheduler-core'
import { type DecisionStore, isUnreadable } from '../../db/tables/decisions.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import type { History } from '../../replica/follow/history.ts'
import type { Replica } from '../../replica/replica.ts'
import type { LogReader } from '../../sync/synchronizer.ts'
import { InputFault } from '../calls/outcome.ts'
import { checkRange } from '../calls/text.ts'
import type { Decisions, DecisionView } from '../decision/decisions.ts'
import { type ChosenHosts, createChosenHosts } from './chosen-hosts.ts'
import { type Candidate, candidateOf, passOver, versionOf } from './decide-again.ts'
import { createZoneShift, type ZoneShift } from './zone-shift.ts'

export interface CompareProfilesInput {
  /** `name` for the active version, or `name@number`. The requests that any version of this profile decided are replayed. */
  readonly baseline: string
  readonly candidate: Candidate
  /** How far back requests are compared; null: one hour. */
  readonly windowMs: number | null
  /** At most this many requests are replayed; null: 200. */
  readonly sample: number | null
  /** After this time, no further request is replayed; null: 30 s. */
  readonly deadlineMs: number | null
}

/** A request whose results under the baseline and under the candidate differ. */
export interface ProfileDisagreement {
  readonly decision: DecisionView
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly baselineHosts: readonly string[]
  readonly candidateHosts: readonly string[]
  readonly because: string
}

/** The requests on which a filter in shadow mode would have had an effect. */
export interface ShadowFilterCount {
  readonly filter: string
  /** How many requests would place fewer instances (`wouldFail`) or select other hosts (`wouldMove`) if the filter were enforced. */
  readonly wouldFail: number
  readonly wouldMove: number
  /** How many requests would need the solver if the filter were enforced. They are not included in `wouldFail` and `wouldMove`. */
  readonly notSolved: number
  /** The first requests that would fail, each with the filters that refuse it. */
  readonly failing: readonly { readonly decision: DecisionView; readonly because: string }[]
}

/** Requests of the last hours, decided again under two profile versions. Each request is decided on the state of its original decision. */
export interface ProfileComparison {
  readonly baseline: Profile
  readonly candidate: Profile
  readonly since: number
  readonly until: number
  /** How many requests are in the time window. */
  readonly total: number
  /** How many requests were replayed. */
  readonly sampled: number
  readonly counts: Readonly<Record<Agreement, number>>
  /** How many requests were not replayed, by reason. */
  readonly leftOut: {
    readonly notDrawn: number
    readonly beyondRetention: number
    readonly outOfTime: number
    readonly notReplayable: number
    /** Requests for which a version would call its solver. The decision of that version is therefore unknown. */
    readonly notSolved: number
    /** Decisions whose records are damaged or from a newer release. */
    readonly unreadable: number
  }
  /**
   * The decision time of the candidate divided by that of the baseline, both measured in this comparison. Null if fewer than 20 requests
   * were replayed.
   */
  readonly cpuRatio: number | null
  readonly p99DeltaMs: number | null
  /** The instances that each version places in each zone, sorted by zone name. */
  readonly zones: readonly ZoneShift[]
  /** How full the selected hosts were. This shows whether a version packs or spreads. */
  readonly chosen: ChosenHosts
  /**
   * For each filter of the candidate that is in shadow mode: the effect of enforcing it while the other filters in shadow mode stay in that
   * mode.
   */
  readonly shadowFilters: readonly ShadowFilterCount[]
  /** The requests with different results: new failures first, then new placements, then placements on other hosts. */
  readonly disagreements: readonly ProfileDisagreement[]
  readonly text: string
}

/** Decides past requests again under two profile versions. Throws InputFault for an invalid comparison. */
export type CompareProfiles = (input: CompareProfilesInput) => Promise<ProfileComparison>

export interface CompareProfilesOptions {
  readonly replica: Replica
  readonly history: History
  readonly past: LogReader
  readonly store: DecisionStore
  readonly decisions: Decisions
  /** Resolves when the tables have reached the revision that this replica has applied, or at the timeout. */
  caughtUp(): Promise<unknown>
}

const HOUR = 3_600_000
const defaults = { windowMs: HOUR, sample: 200, deadlineMs: 30_000 }
const most = { windowMs: 31 * 24 * HOUR, sample: 10_000, deadlineMs: 60_000 }
/** At most this many disagreements are listed; all are counted. */
const LISTED = 500
/** At most this many requests are listed for a filter in shadow mode; all are counted. */
const FAILING_LISTED = 10
/** With fewer replayed requests than this, decision times are not compared. */
const TIMED = 20

export function createCompareProfiles({ replica, history, past, store, decisions, caughtUp }: CompareProfilesOptions): CompareProfiles {
  // only one comparison at a time reads the log; the deadline of a comparison includes the time that it waits
  let turn: Promise<unknown> = Promise.resolve()
  const compare = async (input: CompareProfilesInput, isOver: () => boolean): Promise<ProfileComparison> => {
    const baseline = versionOf(replica, input.baseline, ['baseline'])
    const candidate = candidateOf(replica, baseline, input.candidate)
    const until = Math.floor(replica.storeTime)
    const since = until - (input.windowMs ?? defaults.windowMs)
    await caughtUp()
    const { total, decisions: drawn } = await store.sample({
      profileName: baseline.name,
      since,
      until,
      limit: input.sample ?? defaults.sample,
    })
    const { firstRevision } = await past.retention()
    const readable = drawn.filter((one): one is StoredDecision => !isUnreadable(one))
    const kept = readable.filter(({ place }) => place.basis >= firstRevision)
    const tally = createTally(candidate)
    await passOver({ history, past, wanted: kept, isOver, each: (fleet, entry, one) => tally.add(fleet, entry, one, baseline) })
    const { sampled, notReplayable, notSolved, ...rest } = tally.end((stored) => decisions.of(stored))
    const leftOut = {
      notDrawn: total - drawn.length,
      beyondRetention: readable.length - kept.length,
      outOfTime: kept.length - sampled - notReplayable - notSolved,
      notReplayable,
      notSolved,
      unreadable: drawn.length - readable.length,
    }
    const comparison = { baseline, candidate, since, until, total, sampled, leftOut, ...rest }
    return { ...comparison, text: textOf(comparison) }
  }
  return (input) => {
    const wrong = [
      ...(input.windowMs === null ? [] : checkRange(['window'], input.windowMs, 1, most.windowMs, ' ms')),
      ...(input.sample === null ? [] : checkRange(['sample'], input.sample, 1, most.sample)),
      ...(input.deadlineMs === null ? [] : checkRange(['deadline'], input.deadlineMs, 1, most.deadlineMs, ' ms')),
    ]
    if (wrong.length > 0) return Promise.reject(new InputFault(wrong))
    const over = performance.now() + (input.deadlineMs ?? defaults.deadlineMs)
    const answer = turn.then(() => compare(input, () => performance.now() >= over))
    turn = answer.catch(() => undefined)
    return answer
  }
}

interface Failing {
  readonly stored: StoredDecision
  readonly because: string
}

function createTally(candidate: Profile) {
  const counts: Record<Agreement, number> = { SAME: 0, ELSEWHERE: 0, NEW_FAILURE: 0, NEW_PLACEMENT: 0 }
  const times = { baseline: [] as number[], candidate: [] as number[] }
  const zones = createZoneShift()
  const listed: Record<Exclude<Agreement, 'SAME'>, Omit<ProfileDisagreement, 'decision'>[]> = {
    NEW_FAILURE: [],
    NEW_PLACEMENT: [],
    ELSEWHERE: [],
  }
  const of = new Map<Omit<ProfileDisagreement, 'decision'>, StoredDecision>()
  const shadows = enforcedEach(candidate).map((one) => ({ ...one, wouldFail: 0, wouldMove: 0, notSolved: 0, failing: [] as Failing[] }))
  const chosen = createChosenHosts()
  let notReplayable = 0
  let notSolved = 0
  return {
    *add(fleet: Fleet, entry: LogEntry | undefined, stored: StoredDecision, baseline: Profile): Steps<void> {
      const { record, place } = stored
      if (place.entryId !== null && place.entryId !== entry?.id) {
        notReplayable++
        return
      }
      if (isUnsolved(fleet, record, baseline) || isUnsolved(fleet, record, candidate)) {
        notSolved++
        return
      }
      const before = entry === undefined || place.entryId === null ? [] : proposalsBefore(entry, place.position ?? 0)
      try {
        const by = (profile: Profile) => replayOtherwiseInSteps(fleet, before, record, profile)
        function* timed(version: 'baseline' | 'candidate', steps: Steps<Decided>): Steps<Decided> {
          let took = 0
          for (;;) {
            // each step is timed separately, because other calls work between two steps and must not be included
            const from = performance.now()
            const step = steps.next()
            took += performance.now() - from
            if (step.done) {
              times[version].push(took)
              return step.value
            }
            yield
          }
        }
        // the order of the versions alternates, because the first evaluation fills caches that make the second evaluation faster
        const isFirst = times.baseline.length % 2 === 0
        const early = isFirst ? yield* timed('baseline', by(baseline)) : undefined
        const other = yield* timed('candidate', by(candidate))
        const { parts } = early ?? (yield* timed('baseline', by(baseline)))
        const hosts = parts.map(hostKey)
        const isSame = other.parts.length === hosts.length && other.parts.every((part, i) => hostKey(part) === hosts[i])
        const otherwise = isSame ? undefined : yield* decideOtherwiseInSteps(fleet, before, record, hosts, candidate)
        const { agreement, hosts: candidateHosts } = otherwise ?? { agreement: 'SAME' as const, hosts }
        const [asked, known] = [true, false].map((is) => shadows.filter(({ profile }) => isUnsolved(fleet, record, profile) === is))
        const decidedAgain: (OtherDecision & { readonly shadow: (typeof shadows)[number] })[] = []
        for (const shadow of known ?? [])
          decidedAgain.push({ shadow, ...(yield* decideOtherwiseInSteps(fleet, before, record, candidateHosts, shadow.profile)) })
        counts[agreement]++
        for (const shadow of asked ?? []) shadow.notSolved++
        for (const { shadow, agreement: then, because: why } of decidedAgain) {
          if (then === 'NEW_FAILURE') {
            if (++shadow.wouldFail <= FAILING_LISTED) shadow.failing.push({ stored, because: yield* why() })
          } else if (then !== 'SAME') shadow.wouldMove++
        }
        zones.add(fleet, parts, 'baseline')
        zones.add(fleet, other.parts, 'candidate')
        chosen.add(fleet, before, hosts, 'baseline')
        chosen.add(fleet, before, candidateHosts, 'candidate')
        if (otherwise === undefined || agreement === 'SAME' || listed[agreement].length >= LISTED) return
        const disagreement = { kind: agreement, baselineHosts: hosts, candidateHosts, because: yield* otherwise.because() }
        listed[agreement].push(disagreement)
        of.set(disagreement, stored)
      } catch (error) {
        // the request cannot be decided again, for example because the claim that it moves does not exist any more
        if (!(error instanceof RangeError)) throw error
        notReplayable++
      }
    },
    end(view: (stored: StoredDecision) => DecisionView) {
      const sampled = counts.SAME + counts.ELSEWHERE + counts.NEW_FAILURE + counts.NEW_PLACEMENT
      const isTimed = sampled >= TIMED
      return {
        sampled,
        counts,
        notReplayable,
        notSolved,
        cpuRatio: isTimed ? sum(times.candidate) / sum(times.baseline) : null,
        p99DeltaMs: isTimed ? p99(times.candidate) - p99(times.baseline) : null,
        zones: zones.end(),
        chosen: chosen.end(),
        shadowFilters: shadows.map(({ filter, wouldFail, wouldMove, notSolved, failing }) => ({
          ...{ filter, wouldFail, wouldMove, notSolved },
          failing: failing.map(({ stored, because }) => ({ decision: view(stored), because })),
        })),
        disagreements: [...listed.NEW_FAILURE, ...listed.NEW_PLACEMENT, ...listed.ELSEWHERE].slice(0, LISTED).flatMap((one) => {
          const stored = of.get(one)
          return stored === undefined ? [] : [{ ...one, decision: view(stored) }]
        }),
      }
    },
  }
}

/** A text that states the results of the comparison, and which requests were not compared. */
function textOf({ baseline, candidate, total, sampled, counts, leftOut, shadowFilters }: Omit<ProfileComparison, 'text'>): string {
  const refs = `${profileRef(candidate)} against ${profileRef(baseline)}`
  const left = [
    ...(leftOut.notDrawn > 0 ? [`${leftOut.notDrawn} were not sampled`] : []),
    ...(leftOut.beyondRetention > 0 ? [`${leftOut.beyondRetention} are older than the log`] : []),
    ...(leftOut.outOfTime > 0 ? [`${leftOut.outOfTime} were not replayed in time`] : []),
    ...(leftOut.notReplayable > 0 ? [`${leftOut.notReplayable} cannot be replayed`] : []),
    ...(leftOut.notSolved > 0 ? [`${leftOut.notSolved} would need a solver`] : []),
    ...(leftOut.unreadable > 0 ? [`${leftOut.unreadable} cannot be read`] : []),
  ]
  const rest = left.length > 0 ? ` Of the other requests, ${left.join(', ')}.` : ''
  if (total === 0) return `${refs}: the profile decided no request in that time.`
  if (sampled === 0) return `${refs}: none of ${total} requests could be decided again.${rest}`
  const parts = [
    `${counts.SAME} had the same outcome`,
    `${counts.ELSEWHERE} went to other hosts`,
    `${counts.NEW_PLACEMENT} were newly placed`,
    `${counts.NEW_FAILURE} newly failed`,
  ]
  const shadows = shadowFilters.map(
    ({ filter, wouldFail, wouldMove, notSolved }) =>
      ` ${filter}, in shadow mode, would have failed ${wouldFail} and moved ${wouldMove}${notSolved > 0 ? `; ${notSolved} would need a solver` : ''}.`,
  )
  return `${refs}: ${sampled} of ${total} requests were decided again: ${parts.join(', ')}.${shadows.join('')}${rest}`
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

const p99 = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[Math.ceil(numbers.length * 0.99) - 1] ?? 0
