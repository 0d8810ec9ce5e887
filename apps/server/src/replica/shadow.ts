import {
  type Agreement,
  atOnce,
  type ChoiceRanks,
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
  pluginsOf,
  proposalsBefore,
  type SelectedDestination,
  WHOLE_SHARE,
} from '@gantt/scheduler-core'
import type { KeptDisagreement, RankedChoice, RolloutCounts } from '../db/rollouts.ts'
import type { StoredDecision } from '../db/rows.ts'
import { realTimers, type Timers } from '../timers.ts'
import type { Replica } from './replica.ts'
import { type RolloutFindings, rolloutId } from './rollout-findings.ts'
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
 * again by the version that did not, on the same state. It claims nothing, and asks the store nothing.
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
  readonly replica: Pick<Replica, 'name' | 'fleet' | 'onApplied' | 'onReplaced'>
  /** Hears what became of the decisions that this replica made, so that of all replicas one tells of each; nobody does if not given. */
  readonly findings?: Pick<RolloutFindings, 'add'>
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

/** `at`: the log's time once the entry was applied. */
type Item = { readonly entry: LogEntry; readonly at: number; readonly counted: readonly boolean[] } | { readonly decision: StoredDecision }

/** When a decision was made, and whether this replica made it. */
interface Made {
  readonly at: number
  readonly isOwn: boolean
}

/** A decision with what it needs to be made again. */
interface Asked extends Made {
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
  readonly before: readonly Proposal[]
  /** Tells whether it is in the share that is looked at. */
  readonly account: string
  readonly key: string
}

export function createShadow({ replica, findings, timers = realTimers, warn, lag = LAG }: ShadowOptions): Shadow {
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
      for (const item of waiting.splice(0)) skipAll(own, item)
      own = copyFleet(replica.fleet)
      return
    }
    waiting.push({ entry, at: replica.fleet.now, counted: verdicts.map((verdict) => verdict === undefined) })
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
      const { record, answer, place, account, id, at } = item.decision
      const asked = { record, answer, before: [], account, key: id, at, isOwn: true }
      if (place.basis === own.place.revision) look(own, asked)
      else skip(own, asked)
      return
    }
    const { entry, counted } = item
    const made = madeBy(item)
    if (entry.basis.revision === own.place.revision) {
      for (const [position, change] of entry.changes.entries()) {
        if (!isProposal(change) || counted[position] !== true) continue
        const { decision: record, answer, account, key } = change
        if (waiting.length >= lag) skip(own, { record, ...made })
        else look(own, { record, answer, before: proposalsBefore(entry, position), account, key, ...made })
      }
      // decided on an older state than the one that is here: it would be compared with something else
    } else skipAll(own, item)
    own.apply(entry)
    renew()
  }
  const madeBy = ({ entry, at }: Extract<Item, { readonly at: number }>): Made => ({ at, isOwn: entry.writer === replica.name })
  const skipAll = (fleet: Fleet, item: Item): void => {
    if ('decision' in item) skip(fleet, { record: item.decision.record, at: item.decision.at, isOwn: true })
    else
      for (const [position, change] of item.entry.changes.entries())
        if (isProposal(change) && item.counted[position] === true) skip(fleet, { record: change.decision, ...madeBy(item) })
  }
  const skip = (fleet: Fleet, { record, ...made }: Pick<Asked, 'record'> & Made): void => {
    const found = tallyOf(fleet, record)
    if (found === undefined) return
    found.tally.skipped++
    tell(found, made, 'skipped')
  }
  const tell = (
    { rollout }: { readonly rollout: string },
    { at, isOwn }: Made,
    end: keyof RolloutCounts,
    disagreement?: () => Omit<KeptDisagreement, 'rollout' | 'at'>,
  ): void => {
    if (isOwn) findings?.add({ rollout, at, end, ...(disagreement !== undefined && { disagreement }) })
  }
  /** The version that did not decide, where one of two that are compared did. */
  const tallyOf = (
    fleet: Fleet,
    { profile }: DecisionRecord,
  ): { tally: Tally; rollout: string; other: Profile; isCandidate: boolean; share: number } | undefined => {
    const [name = '', number] = profile.split('@')
    const rollout = fleet.profiles.courseOf(name)?.rollout
    const active = fleet.profiles.activeNumber(name)
    if (!rollout || (Number(number) !== active && Number(number) !== rollout.number)) return undefined
    const isCandidate = Number(number) === rollout.number
    const other = fleet.profiles.find(`${name}@${isCandidate ? active : rollout.number}`)
    // a version whose parts are not all here decides nothing here
    if (other === undefined || lacksOf(other, pluginsOf(fleet)).length > 0) return undefined
    const mark = markOf(fleet, name)
    let tally = tallies.get(name)
    if (tally === undefined || tally.mark !== mark) {
      tally = newTally(mark)
      tallies.set(name, tally)
    }
    const share = rollout.mode === 'SHADOW' ? rollout.share : WHOLE_SHARE
    return { tally, rollout: rolloutId(name, rollout), other, isCandidate, share }
  }
  const look = (fleet: Fleet, { record, answer, before, account, key, ...when }: Asked): void => {
    const found = tallyOf(fleet, record)
    if (found === undefined || !isInShare(account, key, found.share)) return
    const { tally, other, isCandidate } = found
    if (isUnsolved(fleet, record, other)) {
      tally.notSolved++
      tell(found, when, 'notSolved')
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
      if (kind === 'SAME') tell(found, when, 'agreed')
      const because = kind === 'SAME' ? '' : `${other.name}@${other.number}: ${atOnce(made.because())}`
      if (kind !== 'SAME')
        tell(found, when, ends[kind], () => ({ decision: record.id, kind, because, ...choicesOf(atOnce(made.ranks()), kind, isCandidate) }))
      tally.sampled++
      tally.counts[kind]++
      if (kind === 'SAME') return
      tally.disagreements.unshift({ decision: record.id, kind, because })
      tally.disagreements.length = Math.min(tally.disagreements.length, TOLD)
    } catch (error) {
      // a claim that it moves is not there under this state
      if (!(error instanceof RangeError)) throw error
      tally.skipped++
      tell(found, when, 'skipped')
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
      if (waiting.length >= lag) return skip(own, { record: decision.record, at: decision.at, isOwn: true })
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

const ends = { ELSEWHERE: 'elsewhere', NEW_FAILURE: 'newFailures', NEW_PLACEMENT: 'newPlacements' } as const

/** Both versions' choices, seen from the active one: who decided is either. */
function choicesOf(
  ranks: ChoiceRanks | undefined,
  kind: KeptDisagreement['kind'],
  isCandidate: boolean,
): Pick<KeptDisagreement, 'instance' | 'baseline' | 'candidate'> {
  if (ranks === undefined) {
    const who = kind === 'NEW_FAILURE' ? 'candidate' : 'active version'
    const none: RankedChoice = { host: null, rank: null, because: `The ${who} finds no host for an instance.` }
    return { instance: null, baseline: none, candidate: none }
  }
  const { instance, decided, other } = ranks
  return isCandidate ? { instance, baseline: other, candidate: decided } : { instance, baseline: decided, candidate: other }
}

const markOf = ({ profiles }: Fleet, name: string): string => {
  const rollout = profiles.courseOf(name)?.rollout
  return `${profiles.activeNumber(name)} ${rollout?.number} ${rollout?.mode} ${rollout?.since}`
}
