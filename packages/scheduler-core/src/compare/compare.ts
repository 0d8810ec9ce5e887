import { replayInSteps, withProposals } from '../decision/replay.ts'
import type { DecisionRecord } from '../records/decision.ts'
import type { Decided } from '../schedulers/decide.ts'
import type { Steps } from '../values/steps.ts'
import { type Cause, type CauseFound, findCause, type Side } from './cause.ts'
import { documentChanges, type FieldChange, profileChanges } from './field-change.ts'
import { type FleetChanges, fleetChanges } from './fleet-changes.ts'
import { type Flips, flipsOf } from './flips.ts'
import { comparisonText } from './text.ts'

/** A comparison of two decisions: their differences, and why they chose different hosts. */
export interface Comparison extends CauseFound {
  readonly cause: Cause
  readonly specChanges: readonly FieldChange[]
  readonly profileChanges: readonly FieldChange[]
  /** Undefined if the fleet's state on which one of the decisions was made is no longer stored. */
  readonly fleetChanges: FleetChanges | undefined
  readonly flips: Flips
  /**
   * For each of the two decisions, the index of the instance to which `flips` refers. The default is the first instance with different
   * hosts.
   */
  readonly instances: readonly [number, number]
  /** Explains the result in a few sentences. */
  readonly text: string
}

export interface CompareOptions {
  /** The index of the compared instance in both requests. By default, the first instance with different hosts is compared. */
  readonly instance?: number | undefined
  /** At most this many hosts with different outcomes are returned. The count includes all such hosts. */
  readonly most?: number
}

/**
 * Compares two decisions by replaying them. The generator yields between its steps and leaves both fleets unchanged. If the fleet's state
 * on which a decision was made is no longer stored, the record of the decision is used. Hosts that are not in the record are examined on a
 * later state.
 */
export function* compareDecisions(first: Side, second: Side, { instance, most = 500 }: CompareOptions = {}): Steps<Comparison> {
  const found = yield* findCause(first, second)
  yield
  const group = second.record.request.instanceGroup?.uuid ?? first.record.request.instanceGroup?.uuid ?? null
  const isKept = first.lost === undefined && second.lost === undefined
  const fleets = isKept ? yield* changesBetween(first, second, group) : undefined
  const position = instance ?? firstElsewhere(found.goals)
  const instances = [clampTo(first, position), clampTo(second, position)] as const
  const answers = [yield* answerOf(first), yield* answerOf(second)] as const
  const flips = yield* flipsOf(first, second, answers, instances, most)
  const changes = {
    specChanges: specChanges(first, second),
    profileChanges: profileChanges(first.profile, second.profile),
    fleetChanges: fleets,
  }
  return { ...found, ...changes, flips, instances, text: comparisonText({ ...found, ...changes }, [first, second]) }
}

/**
 * Compares the fleets of two decisions. During the comparison, the resources of the proposals that precede each decision in its log entry
 * are reserved. No other code may use the fleets until the generator ends.
 */
function* changesBetween(first: Side, second: Side, group: string | null): Steps<FleetChanges> {
  const steps = fleetChanges(first.fleet, second.fleet, group)
  for (;;) {
    const step = withProposals(first.fleet, first.before, () => withProposals(second.fleet, second.before, () => steps.next()))
    if (step.done) return step.value
    yield
  }
}

function* answerOf({ fleet, before, record, profile, lost }: Side): Steps<Decided['answer']> {
  return lost?.answer ?? (yield* replayInSteps(fleet, before, record, profile)).answer
}

function specChanges(first: Side, second: Side): FieldChange[] {
  const [a, b] = [first, second].map(({ record, lost }) => lost?.record ?? record) as [DecisionRecord, DecisionRecord]
  const asked = ({ intent = 'CREATE', allOrNothing, source }: DecisionRecord) => ({
    intent,
    allOrNothing,
    ...(source && { moveOf: source }),
  })
  return [...documentChanges(a.request, b.request), ...documentChanges(asked(a), asked(b))]
}

function firstElsewhere([a, b]: CauseFound['goals']): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) if (a[i] !== b[i]) return i
  return 0
}

const clampTo = ({ record }: Side, instance: number): number => Math.min(instance, record.request.numInstances - 1)
