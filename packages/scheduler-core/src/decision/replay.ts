import type { Cause } from '../cause/cause.ts'
import { type Examination, examineInSteps, type HostChecks, prepareChecks } from '../examine/examine.ts'
import type { Fleet } from '../fleet/fleet.ts'
import { type Overlay, openOverlay } from '../fleet/overlay.ts'
import { asksPlain } from '../kinds/index.ts'
import { withAnswers } from '../outside/answered.ts'
import { withFailure } from '../pipeline/failed-scheduler.ts'
import { isProposal, type LogEntry, type Proposal } from '../records/change.ts'
import { type Claim, isLive } from '../records/claim.ts'
import type { DecisionRecord } from '../records/decision.ts'
import { type Profile, profileRef } from '../records/profile.ts'
import { currentSpec } from '../request/versions.ts'
import { type Decided, type DecideInput, decideInSteps, liftSource } from '../schedulers/decide.ts'
import { groupOf } from '../schedulers/filter-scheduler.ts'
import { wayOutInSteps } from '../schedulers/way-out.ts'
import { atOnce, type Steps } from '../values/steps.ts'
import { unansweredOf } from './questions.ts'
import { isUnsolved } from './unsolved.ts'

/** The proposals before the index `position` in a log entry. The change at this index was decided as if these proposals were valid. */
export const proposalsBefore = (entry: Pick<LogEntry, 'changes'>, position: number): readonly Proposal[] =>
  entry.changes.slice(0, position).filter(isProposal)

/**
 * Replays a decision on the fleet at the revision on which the decision was made. The result has the same hosts, grants and scores, bit for
 * bit, and the fleet is unchanged. If `profile` is present, it is used instead of the recorded profile. Throws RangeError if the fleet
 * lacks the recorded profile version or a recorded claim, or if the record lacks an answer of a filter or weigher outside of the process.
 */
export const replay = (...asked: Parameters<typeof replayInSteps>): Decided => atOnce(replayInSteps(...asked))

/** `replay` as a generator that yields between its steps. No other code may use the fleet until the generator ends. */
export function* replayInSteps(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  profile = profileOf(fleet, record),
): Steps<Decided> {
  const answered = answeredAs(fleet, record, profile)
  return yield* withProposalsInSteps(fleet, before, (overlay) => decideAgain(fleet, overlay, record, answered))
}

/**
 * Decides a recorded request by another profile version or on another state. Throws RangeError in the cases of `replay`. Also throws
 * RangeError if the result is unknown, because a solver or a filter or weigher outside of the process would have to be called for it.
 */
export const replayOtherwise = (...asked: Parameters<typeof replayOtherwiseInSteps>): Decided => atOnce(replayOtherwiseInSteps(...asked))

/** `replayOtherwise` as a generator that yields between its steps. No other code may use the fleet until the generator ends. */
export function* replayOtherwiseInSteps(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  profile: Profile,
): Steps<Decided> {
  if (isUnsolved(fleet, record, profile)) throw new RangeError(`the solver of ${profileRef(profile)} was not called for this decision`)
  const decided = yield* replayInSteps(fleet, before, record, profile)
  if (record.outside === undefined) return decided
  for (const [instance, { filters }] of decided.record.instances.entries())
    if (filters.some(({ errors = 0 }) => errors > 0))
      yield* examineAgainInSteps(fleet, before, record, instance, readNow(refuseUnasked), profile)
  return decided
}

function refuseUnasked({ steps }: Examination): void {
  const unasked = steps.flatMap(({ reasons }) => reasons).find(({ code }) => code === 'outside.no_answer')
  if (unasked !== undefined)
    throw new RangeError(`for ${unasked.hosts} of the hosts to check, the decision has no recorded answer of ${unasked.filter}`)
}

/**
 * Replays a decision up to one instance and examines all hosts for this instance. While `read` runs, the resources of the instances before
 * this one are reserved. If `isShortCircuited` is true, each host is examined only up to the first filter that refuses it.
 */
export function examineAgain<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  read: (examination: Examination) => T,
  profile = profileOf(fleet, record),
  isShortCircuited = false,
): T {
  return atOnce(examineAgainInSteps(fleet, before, record, instance, readNow(read), profile, isShortCircuited))
}

/** `examineAgain` as a generator that yields between its steps. No other code may use the fleet until the generator ends. */
export function examineAgainInSteps<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  read: (examination: Examination) => Steps<T>,
  profile = profileOf(fleet, record),
  isShortCircuited = false,
): Steps<T> {
  return atInstance(fleet, before, record, answeredAs(fleet, record, profile), instance, function* (judged) {
    const found = yield* examineInSteps(fleet, currentSpec(record.request), judged, record.seed, instance, isShortCircuited)
    return yield* read(found)
  })
}

/** Wraps a plain function as a generator. */
const readNow = <Found, T>(read: (found: Found) => T): ((found: Found) => Steps<T>) =>
  // biome-ignore lint/correctness/useYield: it is done in one step
  function* (found) {
    return read(found)
  }

/**
 * Replays a decision once, and examines all hosts for each of its first `instances` instances in turn. The generator yields between two
 * instances, and whenever their examination yields. `hasRounds` is false to examine the instances as releases before Nova's rounds were
 * explained: by the fleet alone, in which the earlier instances hold their resources.
 */
export function* examineEach(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instances: number,
  hasRounds: boolean,
  read: (examination: Examination, instance: number) => Steps<void>,
): Steps<void> {
  const profile = answeredAs(fleet, record, profileOf(fleet, record))
  const { parts, judged } = instances > 1 ? yield* explained(fleet, before, record, profile) : { parts: [], judged: profile }
  for (let instance = 0; instance < instances; instance++) {
    if (instance > 0) yield
    yield* withEarlier(fleet, before, record, parts.slice(0, instance), function* () {
      const by = hasRounds ? judged : profile
      yield* read(yield* examineInSteps(fleet, currentSpec(record.request), by, record.seed, instance), instance)
    })
  }
}

/**
 * Replays a decision up to one instance. `read` can then check single hosts for this instance. The generator yields between its steps. No
 * other code may use the fleet until it ends.
 */
export function checkAgainInSteps<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  read: (checks: HostChecks) => Steps<T>,
): Steps<T> {
  const profile = answeredAs(fleet, record, profileOf(fleet, record))
  return atInstance(fleet, before, record, profile, instance, (judged) =>
    read(prepareChecks(fleet, currentSpec(record.request), judged, instance)),
  )
}

/**
 * Calls `read` while the fleet is in the state in which one instance of a decision was decided, with the profile by which this instance is
 * explained.
 */
function* atInstance<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  profile: Profile,
  instance: number,
  read: (judged: Profile) => Steps<T>,
): Steps<T> {
  if (instance === 0) return yield* withEarlier(fleet, before, record, [], () => read(profile))
  const { parts, judged } = yield* explained(fleet, before, record, profile)
  return yield* withEarlier(fleet, before, record, parts.slice(0, instance), () => read(judged))
}

/** Decides a recorded request again, so that its instances can be explained by `judged`. Instances are placed even if not all can be. */
const explained = (fleet: Fleet, before: readonly Proposal[], record: DecisionRecord, answered: Profile): Steps<Decided> =>
  withProposalsInSteps(fleet, before, (overlay) => {
    const input = inputOf(fleet, { ...record, allOrNothing: false }, answered)
    return decideInSteps(fleet, overlay, { ...input, isExplained: true })
  })

function withEarlier<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  earlier: Decided['parts'],
  read: () => Steps<T>,
): Steps<T> {
  return withProposalsInSteps(fleet, before, function* (overlay) {
    const source = sourceOf(fleet, record)
    const ends = endsOf(fleet, record)
    const request = currentSpec(record.request)
    if (ends !== undefined) overlay.liftDestination(ends, asksPlain(request))
    if (source !== undefined) liftSource(overlay, request, source, record.intent)
    if (record.isListed === true) overlay.keepListed(request)
    for (const part of earlier) overlay.hold(part, groupOf(request))
    return yield* read()
  })
}

/** Calls `use` while the resources of these proposals are reserved in the fleet. */
export function withProposals<T>(fleet: Fleet, before: readonly Proposal[], use: (overlay: Overlay) => T): T {
  const overlay = openOverlay(fleet)
  try {
    for (const proposal of before) holdProposal(fleet, overlay, proposal)
    return use(overlay)
  } finally {
    overlay.discard()
  }
}

/** `withProposals` as a generator that yields when `use` yields. No other code may use the fleet until the generator ends. */
export function* withProposalsInSteps<T>(fleet: Fleet, before: readonly Proposal[], use: (overlay: Overlay) => Steps<T>): Steps<T> {
  const overlay = openOverlay(fleet)
  try {
    for (const proposal of before) holdProposal(fleet, overlay, proposal)
    return yield* use(overlay)
  } finally {
    overlay.discard()
  }
}

function holdProposal(fleet: Fleet, overlay: Overlay, proposal: Proposal): void {
  const { parts, group } = proposal
  if (!('source' in proposal)) {
    for (const part of parts) overlay.hold(part, group)
    return
  }
  const source = fleet.ledger.claims.get(proposal.source.claim)
  if (source === undefined) throw new RangeError(`claim ${proposal.source.claim} is not known at revision ${fleet.place.revision}`)
  const ends = endsOf(fleet, proposal.decision)
  if (ends !== undefined) overlay.liftDestination(ends, asksPlain(currentSpec(proposal.decision.request)))
  for (const part of parts) overlay.holdMove(part, group, source)
}

/** The claim that a decision moves. `fleet` must be in the state on which the decision was made. */
const sourceOf = (fleet: Fleet, { source }: DecisionRecord): Claim | undefined => liveClaim(fleet, source)

/**
 * The destination claim of an open move, which ends when the decision proposes a new destination. `fleet` must be in the state on which the
 * decision was made.
 */
const endsOf = (fleet: Fleet, { ends }: DecisionRecord): Claim | undefined => liveClaim(fleet, ends)

function liveClaim(fleet: Fleet, id: string | undefined): Claim | undefined {
  if (id === undefined) return undefined
  const claim = fleet.ledger.claims.get(id)
  if (claim === undefined) throw new RangeError(`claim ${id} is not known at revision ${fleet.place.revision}`)
  // The resources of an ended claim are already free. If the replay freed them a second time, it would use capacity that does not exist.
  if (!isLive(claim)) throw new RangeError(`claim ${id} has ended at revision ${fleet.place.revision}`)
  return claim
}

const decideAgain = (fleet: Fleet, overlay: Overlay, record: DecisionRecord, profile: Profile): Steps<Decided> =>
  decideInSteps(fleet, overlay, inputOf(fleet, record, profile))

function inputOf(fleet: Fleet, record: DecisionRecord, profile: Profile): DecideInput {
  const { id, request, seed, attempt, alternatesPerInstance, allOrNothing, intent } = record
  return {
    id,
    request: currentSpec(request),
    profile,
    seed,
    attempt,
    alternatesPerInstance,
    allOrNothing,
    claimIds: new Array<string>(request.numInstances).fill(''),
    isExhaustive: true,
    intent,
    source: sourceOf(fleet, record),
    ends: endsOf(fleet, record),
    isListed: record.isListed,
    solution: record.solver?.solution,
  }
}

/**
 * Computes the sentence in the answer of a refused request that says how the request could be placed. Undefined if no such way was found.
 */
export function* wayOutAgain(fleet: Fleet, before: readonly Proposal[], record: DecisionRecord, cause: Cause): Steps<string | undefined> {
  const profile = answeredAs(fleet, record, profileOf(fleet, record))
  return yield* withProposalsInSteps(fleet, before, (overlay) => wayOutInSteps(fleet, overlay, inputOf(fleet, record, profile), cause))
}

/**
 * The profile together with the recorded answers of filters and weighers outside of the process. Throws RangeError if the profile needs an
 * answer that is not recorded, because the decision cannot be computed without this answer.
 */
function answeredAs(
  fleet: Fleet,
  { request, outside, failure, profile: ref }: Pick<DecisionRecord, 'request' | 'outside' | 'failure' | 'profile'>,
  profile: Profile,
): Profile {
  const spec = currentSpec(request)
  const answered = outside === undefined ? profile : withAnswers(profile, [{ request: spec, answers: outside }])
  const [part] = unansweredOf(fleet, answered, spec)
  if (part !== undefined) throw new RangeError(`${part} was not called for the request of this decision`)
  // A recorded failure is a failure of the recorded profile's scheduler. The scheduler of another profile can succeed.
  return failure === undefined || ref !== profileRef(profile) ? answered : withFailure(answered, failure)
}

function profileOf(fleet: Fleet, { profile }: DecisionRecord): Profile {
  const found = fleet.profiles.find(profile)
  if (found === undefined) throw new RangeError(`profile ${profile} is not known at revision ${fleet.place.revision}`)
  return found
}
