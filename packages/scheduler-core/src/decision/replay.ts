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

/** The claims that were proposed before a change in its entry. They are the overlay on which the change was decided. */
export const proposalsBefore = (entry: Pick<LogEntry, 'changes'>, position: number): readonly Proposal[] =>
  entry.changes.slice(0, position).filter(isProposal)

/**
 * Replays a decision on the fleet at its basis. The result has the same hosts, grants and scores, bit for bit. The fleet is unchanged
 * afterwards. With `profile`, this profile decides instead. Throws RangeError if the fleet does not have the profile version or a claim
 * that the record names, or if the record has no answer of a filter or weigher outside of the process.
 */
export const replay = (...asked: Parameters<typeof replayInSteps>): Decided => atOnce(replayInSteps(...asked))

/** `replay` as a generator that yields in between. No other code may use the fleet until it ends. */
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
 * Decides a request differently from its record: by another profile version, or on another state. Throws RangeError like `replay`. Also
 * throws RangeError if the result cannot be known, because it needs the answer of a filter or weigher outside of the process about other
 * hosts, or the answer of a solver.
 */
export const replayOtherwise = (...asked: Parameters<typeof replayOtherwiseInSteps>): Decided => atOnce(replayOtherwiseInSteps(...asked))

/** `replayOtherwise` as a generator that yields in between. No other code may use the fleet until it ends. */
export function* replayOtherwiseInSteps(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  profile: Profile,
): Steps<Decided> {
  if (isUnsolved(fleet, record, profile)) throw new RangeError(`the solver of ${profileRef(profile)} was not asked about this decision`)
  const decided = yield* replayInSteps(fleet, before, record, profile)
  if (record.outside === undefined) return decided
  for (const [instance, { filters }] of decided.record.instances.entries())
    if (filters.some(({ errors = 0 }) => errors > 0))
      yield* examineAgainInSteps(fleet, before, record, instance, readNow(refuseUnasked), profile)
  return decided
}

function refuseUnasked({ steps }: Examination): void {
  const unasked = steps.flatMap(({ reasons }) => reasons).find(({ code }) => code === 'outside.no_answer')
  if (unasked !== undefined) throw new RangeError(`${unasked.filter} was not asked about ${unasked.hosts} hosts that come into question`)
}

/** All details about one instance of a replayed decision, while the earlier instances hold their resources. */
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

/** `examineAgain` as a generator that yields in between. No other code may use the fleet until it ends. */
export function examineAgainInSteps<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  read: (examination: Examination) => Steps<T>,
  profile = profileOf(fleet, record),
  isShortCircuited = false,
): Steps<T> {
  return atInstance(fleet, before, record, profile, instance, function* () {
    const answered = answeredAs(fleet, record, profile)
    const found = yield* examineInSteps(fleet, currentSpec(record.request), answered, record.seed, instance, isShortCircuited)
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
 * All details about the first instances of a decision, one after the other. Each earlier instance is decided only once. The generator
 * yields between two instances.
 */
export function* examineEach(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instances: number,
  read: (examination: Examination, instance: number) => Steps<void>,
): Steps<void> {
  const profile = answeredAs(fleet, record, profileOf(fleet, record))
  const parts = instances > 1 ? yield* partsOf(fleet, before, record, profile) : []
  for (let instance = 0; instance < instances; instance++) {
    if (instance > 0) yield
    yield* withEarlier(fleet, before, record, parts.slice(0, instance), function* () {
      yield* read(yield* examineInSteps(fleet, currentSpec(record.request), profile, record.seed, instance), instance)
    })
  }
}

/** The filters in the state in which one instance of a decision was checked, for checks of single hosts. */
export function checkAgain<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  read: (checks: HostChecks) => T,
): T {
  return atOnce(checkAgainInSteps(fleet, before, record, instance, readNow(read)))
}

/** `checkAgain` as a generator that yields in between. No other code may use the fleet until it ends. */
export function checkAgainInSteps<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  instance: number,
  read: (checks: HostChecks) => Steps<T>,
): Steps<T> {
  const profile = answeredAs(fleet, record, profileOf(fleet, record))
  return atInstance(fleet, before, record, profile, instance, () =>
    read(prepareChecks(fleet, currentSpec(record.request), profile, instance)),
  )
}

/** Reads the fleet in the state in which one instance of a decision was decided. */
function* atInstance<T>(
  fleet: Fleet,
  before: readonly Proposal[],
  record: DecisionRecord,
  profile: Profile,
  instance: number,
  read: () => Steps<T>,
): Steps<T> {
  const earlier = instance === 0 ? [] : (yield* partsOf(fleet, before, record, profile)).slice(0, instance)
  return yield* withEarlier(fleet, before, record, earlier, read)
}

function* partsOf(fleet: Fleet, before: readonly Proposal[], record: DecisionRecord, profile: Profile): Steps<Decided['parts']> {
  return (yield* replayInSteps(fleet, before, { ...record, allOrNothing: false }, profile)).parts
}

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

/** Reads the fleet while these proposals are held. */
export function withProposals<T>(fleet: Fleet, before: readonly Proposal[], use: (overlay: Overlay) => T): T {
  const overlay = openOverlay(fleet)
  try {
    for (const proposal of before) holdProposal(fleet, overlay, proposal)
    return use(overlay)
  } finally {
    overlay.discard()
  }
}

/** `withProposals` as a generator that yields in between. No other code may use the fleet until it ends. */
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

/** The claim that a decision moves, on the fleet at its basis. */
const sourceOf = (fleet: Fleet, { source }: DecisionRecord): Claim | undefined => liveClaim(fleet, source)

/** The destination that ends before the new proposal, on the fleet at its basis. */
const endsOf = (fleet: Fleet, { ends }: DecisionRecord): Claim | undefined => liveClaim(fleet, ends)

function liveClaim(fleet: Fleet, id: string | undefined): Claim | undefined {
  if (id === undefined) return undefined
  const claim = fleet.ledger.claims.get(id)
  if (claim === undefined) throw new RangeError(`claim ${id} is not known at revision ${fleet.place.revision}`)
  // an ended claim holds nothing, so removing it would show free capacity that does not exist
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
    intent,
    source: sourceOf(fleet, record),
    ends: endsOf(fleet, record),
    isListed: record.isListed,
    solution: record.solver?.solution,
  }
}

/** The way in which the refused request could have been placed, as in its answer. Undefined if no way was found. */
export function* wayOutAgain(fleet: Fleet, before: readonly Proposal[], record: DecisionRecord, cause: Cause): Steps<string | undefined> {
  const profile = answeredAs(fleet, record, profileOf(fleet, record))
  return yield* withProposalsInSteps(fleet, before, (overlay) => wayOutInSteps(fleet, overlay, inputOf(fleet, record, profile), cause))
}

/**
 * The profile with the answers that filters and weighers outside of the process gave when the decision was made. Throws RangeError if the
 * profile needs an answer that does not exist, since its decision cannot be known.
 */
function answeredAs(
  fleet: Fleet,
  { request, outside, failure, profile: ref }: Pick<DecisionRecord, 'request' | 'outside' | 'failure' | 'profile'>,
  profile: Profile,
): Profile {
  const spec = currentSpec(request)
  const answered = outside === undefined ? profile : withAnswers(profile, [{ request: spec, answers: outside }])
  const [part] = unansweredOf(fleet, answered, spec)
  if (part !== undefined) throw new RangeError(`${part} was not asked about the request of this decision`)
  // the failure was that of the original profile's scheduler, and another profile's scheduler may work
  return failure === undefined || ref !== profileRef(profile) ? answered : withFailure(answered, failure)
}

function profileOf(fleet: Fleet, { profile }: DecisionRecord): Profile {
  const found = fleet.profiles.find(profile)
  if (found === undefined) throw new RangeError(`profile ${profile} is not known at revision ${fleet.place.revision}`)
  return found
}
