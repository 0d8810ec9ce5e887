import {
  type Agreement,
  copyFleet,
  type DecisionRecord,
  decideOtherwise,
  type Fleet,
  hostKey,
  isInShare,
  isProposal,
  isUnsolved,
  type LogEntry,
  lacksOf,
  type Profile,
  type Proposal,
  proposalsBefore,
  type SelectedDestination,
  WHOLE_SHARE,
} from '@gantt/scheduler-core'
import type { StoredDecision } from '../db/rows.ts'
import { realTimers, type Timers } from '../timers.ts'
import type { Replica } from './replica.ts'
import { createSignal } from './signal.ts'

/** A decision that the other version makes otherwise. */
export interface ShadowDisagreement {
  readonly decision: string
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly because: string
}

/** How a candidate fares against the active version, as this replica has counted since the rollout, or since it started. */
export interface ShadowReport {
  /** Decisions that were made again by the other version. */
  readonly sampled: number
  readonly counts: Readonly<Record<Agreement, number>>
  /** Decisions that there was no time for, or whose state was gone by. */
  readonly skipped: number
  /** Decisions about which the other version would have asked its solver: what it decides is not known. */
  readonly notSolved: number
  /** The last fifty, latest first. */
  readonly disagreements: readonly ShadowDisagreement[]
}

/**
 * Follows the log beside the request path, with a fleet of its own, while a version is being tried: decides what was decided
 * again by the version that did not, on the same state. It claims and writes nothing, and asks the store nothing.
 */
export interface Shadow {
  /** Undefined while nothing of that name is tried. */
  reportOf(name: string): ShadowReport | undefined
  /** A decision that is not in the log: a refusal, or advice. */
  take(decision: StoredDecision): void
  /** Resolves once everything that came so far is looked at. */
  settled(timeoutMs: number): Promise<boolean>
  close(): void
}

export interface ShadowOptions {
  readonly replica: Pick<Replica, 'fleet' | 'onApplied' | 'onReplaced'>
  readonly timers?: Timers
  /** Tells operators what went wrong. */
  warn(message: string): void
  /** Entries that may wait: with more, decisions are skipped until it has caught up. */
  readonly lag?: number
}

const LAG = 256
/** Entries with which it begins anew instead of catching up. */
const HOPELESS = 10_000
/** It works so long, then rests four times as long as it worked: a fifth of the process at most. */
const PIECE_MS = 4
const REST = 4
const TOLD = 50

interface Tally {
  /** Which rollout it counts. */
  readonly mark: string
  sampled: number
  skipped: number
  notSolved: number
  readonly counts: Record<Agreement, number>
  readonly disagreements: ShadowDisagreement[]
}

type Item = { readonly entry: LogEntry; readonly counted: readonly boolean[] } | { readonly decision: StoredDecision }

/** A decision with what it needs to be made again. */
interface Asked {
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
  readonly before: readonly Proposal[]
  /** Tells whether it is in the share that is looked at. */
  readonly account: string
  readonly key: string
}

export function createShadow({ replica, timers = realTimers, warn, lag = LAG }: ShadowOptions): Shadow {
  const tallies = new Map<string, Tally>()
  const waiting: Item[] = []
  const idle = createSignal(timers)
  let own: Fleet | undefined
  let isRunning = false
  let isClosed = false

  const isTrying = (): boolean => {
    for (const { rollout } of replica.fleet.profiles.courses().values()) if (rollout !== null) return true
    return false
  }
  const forget = (): void => {
    waiting.length = 0
    own = undefined
    idle.tell()
  }
  const stop = replica.onApplied(({ entry, verdicts }) => {
    if (own === undefined) {
      if (!isTrying()) return
      // from here on: the fleet has this entry already
      own = copyFleet(replica.fleet)
      renew()
      return
    }
    if (waiting.length >= HOPELESS) {
      for (const tally of tallies.values()) tally.skipped += waiting.length
      waiting.length = 0
      own = copyFleet(replica.fleet)
      return
    }
    waiting.push({ entry, counted: verdicts.map((verdict) => verdict === undefined) })
    kick()
  })
  const stopReplaced = replica.onReplaced(forget)

  const kick = (): void => {
    if (isRunning || isClosed) return
    isRunning = true
    timers.after(0, work)
  }
  /** One piece of work; then a rest, in which the process does what it is for. */
  const work = (): void => {
    const from = timers.now()
    try {
      while (waiting.length > 0 && !isClosed && timers.now() - from < PIECE_MS) step(waiting.shift() as Item)
    } catch (error) {
      warn(`the shadow of a profile begins anew: ${error instanceof Error ? error.message : String(error)}`)
      forget()
    }
    isRunning = false
    if (waiting.length === 0) {
      if (!isTrying()) own = undefined
      idle.tell()
      return
    }
    isRunning = true
    timers.after(Math.max(1, (timers.now() - from) * REST), work)
  }
  const step = (item: Item): void => {
    if (own === undefined) return
    if ('decision' in item) {
      const { record, answer, place, account, id } = item.decision
      const asked = { record, answer, before: [], account, key: id }
      if (place.basis === own.place.revision) look(own, asked)
      else skip(own, record)
      return
    }
    const { entry, counted } = item
    if (entry.basis.revision === own.place.revision) {
      for (const [position, change] of entry.changes.entries()) {
        if (!isProposal(change) || counted[position] !== true) continue
        const { decision: record, answer, account, key } = change
        if (waiting.length >= lag) skip(own, record)
        else look(own, { record, answer, before: proposalsBefore(entry, position), account, key })
      }
    } else {
      // decided on an older state than the one that is here: it would be compared with something else
      for (const change of entry.changes) if (isProposal(change)) skip(own, change.decision)
    }
    own.apply(entry)
    renew()
  }
  const skip = (fleet: Fleet, record: DecisionRecord): void => {
    const found = tallyOf(fleet, record)
    if (found !== undefined) found.tally.skipped++
  }
  /** The version that did not decide, where one of two that are compared did. */
  const tallyOf = (
    fleet: Fleet,
    { profile }: DecisionRecord,
  ): { tally: Tally; other: Profile; isCandidate: boolean; share: number } | undefined => {
    const [name = '', number] = profile.split('@')
    const rollout = fleet.profiles.courseOf(name)?.rollout
    const active = fleet.profiles.activeNumber(name)
    if (!rollout || (Number(number) !== active && Number(number) !== rollout.number)) return undefined
    const isCandidate = Number(number) === rollout.number
    const other = fleet.profiles.find(`${name}@${isCandidate ? active : rollout.number}`)
    // a version whose parts are not all here decides nothing here
    if (other === undefined || lacksOf(other, fleet.plugins).length > 0) return undefined
    const mark = markOf(fleet, name)
    let tally = tallies.get(name)
    if (tally === undefined || tally.mark !== mark) {
      tally = newTally(mark)
      tallies.set(name, tally)
    }
    return { tally, other, isCandidate, share: rollout.mode === 'SHADOW' ? rollout.share : WHOLE_SHARE }
  }
  const look = (fleet: Fleet, { record, answer, before, account, key }: Asked): void => {
    const found = tallyOf(fleet, record)
    if (found === undefined || !isInShare(account, key, found.share)) return
    const { tally, other, isCandidate } = found
    if (isUnsolved(fleet, record, other)) {
      tally.notSolved++
      return
    }
    try {
      const made = decideOtherwise(
        fleet,
        before,
        record,
        answer.map(({ selected }) => hostKey(selected)),
        other,
      )
      const kind = isCandidate ? turned[made.agreement] : made.agreement
      tally.sampled++
      tally.counts[kind]++
      if (kind === 'SAME') return
      const because = `${other.name}@${other.number}: ${made.because()}`
      tally.disagreements.unshift({ decision: record.id, kind, because })
      tally.disagreements.length = Math.min(tally.disagreements.length, TOLD)
    } catch (error) {
      // a claim that it moves is not there under this state
      if (!(error instanceof RangeError)) throw error
      tally.skipped++
    }
  }
  /** What is counted dies with its rollout. */
  const renew = (): void => {
    if (own === undefined) return
    for (const [name, { mark }] of tallies) if (markOf(own, name) !== mark) tallies.delete(name)
    for (const [name, { rollout }] of own.profiles.courses())
      if (rollout !== null && !tallies.has(name)) tallies.set(name, newTally(markOf(own, name)))
  }

  // a replica that starts while something is tried goes along from where it is
  if (isTrying()) {
    own = copyFleet(replica.fleet)
    renew()
  }

  return {
    reportOf(name) {
      const tally = tallies.get(name)
      const isOn = replica.fleet.profiles.courseOf(name)?.rollout
      if (tally === undefined || !isOn || markOf(replica.fleet, name) !== tally.mark) return undefined
      return { ...tally, counts: { ...tally.counts }, disagreements: [...tally.disagreements] }
    },
    take(decision) {
      if (own === undefined || decision.place.entryId !== null) return
      if (waiting.length >= lag) return skip(own, decision.record)
      // before the entry that was decided on a later state
      const place = waiting.findIndex((item) => 'entry' in item && item.entry.revision > decision.place.basis)
      waiting.splice(place < 0 ? waiting.length : place, 0, { decision })
      kick()
    },
    settled: (timeoutMs) =>
      idle.until(
        () => waiting.length === 0 && !isRunning,
        timeoutMs,
        () => isClosed,
      ),
    close() {
      isClosed = true
      stop()
      stopReplaced()
      forget()
    },
  }
}

const newTally = (mark: string): Tally => ({
  ...{ mark, sampled: 0, skipped: 0, notSolved: 0, disagreements: [] },
  counts: { SAME: 0, ELSEWHERE: 0, NEW_FAILURE: 0, NEW_PLACEMENT: 0 },
})

/** Seen from the active version: what the candidate refused and the active one would place is a new failure. */
const turned: Readonly<Record<Agreement, Agreement>> = {
  SAME: 'SAME',
  ELSEWHERE: 'ELSEWHERE',
  NEW_FAILURE: 'NEW_PLACEMENT',
  NEW_PLACEMENT: 'NEW_FAILURE',
}

const markOf = ({ profiles }: Fleet, name: string): string => {
  const rollout = profiles.courseOf(name)?.rollout
  return `${profiles.activeNumber(name)} ${rollout?.number} ${rollout?.mode} ${rollout?.since}`
}
