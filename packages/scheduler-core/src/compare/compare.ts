import type { DecisionRecord } from '../decision/decision.ts'
import { replayInSteps, withProposals } from '../decision/replay.ts'
import type { Steps } from '../fleet/steps.ts'
import type { Decided } from '../schedulers/decide.ts'
import { type Cause, type CauseFound, findCause, type Side } from './cause.ts'
import { documentChanges, type FieldChange, profileChanges } from './field-change.ts'
import { type FleetChanges, fleetChanges } from './fleet-changes.ts'
import { type Flips, flipsOf } from './flips.ts'
import { comparisonText } from './text.ts'

/** Two decisions side by side: in what they differ, and what of it sent them to other hosts. */
export interface Comparison extends CauseFound {
  readonly cause: Cause
  readonly specChanges: readonly FieldChange[]
  readonly profileChanges: readonly FieldChange[]
  /** Undefined where a state is gone that would be compared. */
  readonly fleetChanges: FleetChanges | undefined
  readonly flips: Flips
  /** Which instance of either the funnels and hosts are about: the first that went elsewhere. */
  readonly instances: readonly [number, number]
  /** The cause as a sentence or two. */
  readonly text: string
}

export interface CompareOptions {
  /** Which instance of both requests; if not given the first that went elsewhere. */
  readonly instance?: number | undefined
  /** Flipped hosts that are told; all are counted. */
  readonly most?: number
}

/**
 * Compares two decisions by making them again; leaves both fleets as they were, and pauses between its steps. Of one whose
 * state is gone it tells what its record says, and of hosts that this does not name, what becomes of them on the later state.
 */
export function* compareDecisions(first: Side, second: Side, { instance, most = 500 }: CompareOptions = {}): Steps<Comparison> {
  const found = yield* findCause(first, second)
  yield
  const group = second.record.request.instanceGroup?.uuid ?? first.record.request.instanceGroup?.uuid ?? null
  const isKept = first.lost === undefined && second.lost === undefined
  const fleets = isKept ? yield* changesBetween(first, second, group) : undefined
  const place = instance ?? firstElsewhere(found.goals)
  const instances = [clampTo(first, place), clampTo(second, place)] as const
  const answers = [yield* answerOf(first), yield* answerOf(second)] as const
  const flips = yield* flipsOf(first, second, answers, instances, most)
  const changes = {
    specChanges: specChanges(first, second),
    profileChanges: profileChanges(first.profile, second.profile),
    fleetChanges: fleets,
  }
  return { ...found, ...changes, flips, instances, text: comparisonText({ ...found, ...changes }, [first, second]) }
}

/** While what was proposed before each is held: nobody else may use the fleets meanwhile. */
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
