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
import type { KeptDisagreement, RankedChoice, RolloutCounts } from '../../db/tables/rollouts.ts'
import type { StoredDecision } from '../../db/tables/rows.ts'
import { realTimers, type Timers } from '../../timers.ts'
import type { Replica } from '../replica.ts'
import { createSignal } from '../signal.ts'
import { type RolloutFindings, rolloutId } from './rollout-findings.ts'

/** A decision for which the other version gives a different result. */
export interface ShadowDisagreement {
  readonly decision: string
  readonly kind: Exclude<Agreement, 'SAME'>
  readonly because: string
}

/**
 * A candidate's results compared with those of the active version. The counts begin when the rollout begins, or when this replica starts.
 */
export interface ShadowReport {
  /** How many decisions were replayed by the other version. */
  readonly sampled: number
  readonly counts: Readonly<Record<Agreement, number>>
  /** How many decisions were not replayed, because there was no time or because the state had changed. */
  readonly skipped: number
  /** How many decisions need a solver in the other version. The result of that version is therefore unknown. */
  readonly notSolved: number
  /** The last fifty disagreements, latest first. */
  readonly disagreements: readonly ShadowDisagreement[]
}

/**
 * Replays each decision of a rollout by the other version on the same state. It follows the log with its own fleet, outside of the request
 * path. It claims nothing, and does not access the store.
 */
export interface Shadow {
  /** Undefined if there is no rollout of this profile. */
  reportOf(name: string): ShadowReport | undefined
  /** Adds a decision that is not in the log: a refusal, or a placement that claims nothing. */
  take(decision: StoredDecision): void
  /** Resolves with true once all decisions up to now are processed, and with false after a timeout. */
  settled(timeoutMs: number): Promise<boolean>
  close(): void
}

export interface ShadowOptions {
  readonly replica: Pick<Replica, 'name' | 'fleet' | 'onApplied' | 'onReplaced'>
  /** Receives the findings about this replica's own decisions, so that each decision is reported by one replica. */
  readonly findings?: Pick<RolloutFindings, 'add'>
  readonly timers?: Timers
  /** Warns operators of errors. */
  warn(message: string): void
  /** At most this many entries wait. If there are more, decisions are skipped until the shadow has caught up. */
  readonly lag?: number
}

const LAG = 256
/** From this lag in entries on, the shadow copies the fleet again instead of catching up. */
const HOPELESS = 10_000
/** The shadow works for this long, then yields for four times as long. Therefore it uses at most a fifth of the process's time. */
const PIECE_MS = 4
const REST = 4
const LISTED = 50

interface Tally {
  /** The id of the rollout to which the counts of this tally belong. */
  readonly mark: string
  sampled: number
  skipped: number
  notSolved: number
  readonly counts: Record<Agreement, number>
  readonly disagreements: ShadowDisagreement[]
}

/** `at` is the log's time after the entry was applied. */
type Item = { readonly entry: LogEntry; readonly at: number; readonly counted: readonly boolean[] } | { readonly decision: StoredDecision }

/** The time of a decision, and whether this replica made it. */
interface Made {
  readonly at: number
  readonly isOwn: boolean
}

/** A decision with the data for replaying it. */
interface Asked extends Made {
  readonly record: DecisionRecord
  readonly answer: readonly SelectedDestination[]
  readonly before: readonly Proposal[]
  /** The account of the call. It determines whether the decision is in the share that is replayed. */
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
    idle.notify()
  }
  const stop = replica.onApplied(({ entry, verdicts }) => {
    if (own === undefined) {
      if (!isTrying()) return
      // the copied fleet already contains this entry
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
  /** Processes items for about PIECE_MS, then pauses so that the process can do its main work. */
  const work = (): void => {
    const from = timers.now()
    try {
      while (waiting.length > 0 && !isClosed && timers.now() - from < PIECE_MS) step(waiting.shift() as Item)
    } catch (error) {
      warn(`the shadow of a profile starts again: ${error instanceof Error ? error.message : String(error)}`)
      forget()
    }
    isRunning = false
    if (waiting.length === 0) {
      if (!isTrying()) own = undefined
      idle.notify()
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
      // the decision was made on an older state, so a comparison on the present state would be wrong
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
    report(found, made, 'skipped')
  }
  const report = (
    { rollout }: { readonly rollout: string },
    { at, isOwn }: Made,
    end: keyof RolloutCounts,
    disagreement?: () => Omit<KeptDisagreement, 'rollout' | 'at'>,
  ): void => {
    if (isOwn) findings?.add({ rollout, at, end, ...(disagreement !== undefined && { disagreement }) })
  }
  /**
   * The tally of the rollout to which a decision belongs, and the version that did not make the decision: the active version or the
   * candidate. Undefined if neither of the two made it.
   */
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
    // this replica cannot decide by a version whose filters or weighers it lacks
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
      report(found, when, 'notSolved')
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
      if (kind === 'SAME') report(found, when, 'agreed')
      const because = kind === 'SAME' ? '' : `${other.name}@${other.number}: ${atOnce(made.because())}`
      if (kind !== 'SAME')
        report(found, when, ends[kind], () => ({
          decision: record.id,
          kind,
          because,
          ...choicesOf(atOnce(made.ranks()), kind, isCandidate),
        }))
      tally.sampled++
      tally.counts[kind]++
      if (kind === 'SAME') return
      tally.disagreements.unshift({ decision: record.id, kind, because })
      tally.disagreements.length = Math.min(tally.disagreements.length, LISTED)
    } catch (error) {
      // the claim that the decision moves does not exist in this state
      if (!(error instanceof RangeError)) throw error
      tally.skipped++
      report(found, when, 'skipped')
    }
  }
  /** Resets the counts when their rollout ends. */
  const renew = (): void => {
    if (own === undefined) return
    for (const [name, { mark }] of tallies) if (markOf(own, name) !== mark) tallies.delete(name)
    for (const [name, { rollout }] of own.profiles.courses())
      if (rollout !== null && !tallies.has(name)) tallies.set(name, newTally(markOf(own, name)))
  }

  // a replica that starts during a rollout compares only decisions after the revision at which it starts
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
      // the decision is inserted before the first entry that is later than the decision's state
      const position = waiting.findIndex((item) => 'entry' in item && item.entry.revision > decision.place.basis)
      waiting.splice(position < 0 ? waiting.length : position, 0, { decision })
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

/**
 * If the candidate made the decision, converts the result of the active version to that of the candidate: for example, if only the active
 * version would place, the candidate has a new failure.
 */
const turned: Readonly<Record<Agreement, Agreement>> = {
  SAME: 'SAME',
  ELSEWHERE: 'ELSEWHERE',
  NEW_FAILURE: 'NEW_PLACEMENT',
  NEW_PLACEMENT: 'NEW_FAILURE',
}

const ends = { ELSEWHERE: 'elsewhere', NEW_FAILURE: 'newFailures', NEW_PLACEMENT: 'newPlacements' } as const

/** The hosts that the two versions selected. `baseline` is the choice of the active version. */
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
