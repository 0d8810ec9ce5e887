import {
  asksAges,
  type Change,
  type Claim,
  type ClaimRef,
  COUNTED_RESERVATIONS,
  type Decided,
  type DecideInput,
  ENTRY_FORMAT,
  type Entry,
  type Fleet,
  groupOf,
  KEPT_CAUSES,
  LISTED_CLAIMS,
  lacksOf,
  levelOf,
  type Overlay,
  openOverlay,
  type Proposal,
  pluginsOf,
  STRICT_CLAIMS,
  type Steps,
  unansweredOf,
} from '@gantt/scheduler-core'
import { type DecisionChecks, decideChecked } from '../watch/decision-checks.ts'
import { findInstances, requestAfterCounted } from './attempts.ts'
import { isOutdated, MAX_GATHERINGS } from './gather.ts'
import { findSource, isMove, requestNow } from './moves.ts'
import type { PlacementCall, PlacementOutcome, UnloggedDecision } from './placement.ts'
import { listedRefusal, whyRefusedInSteps } from './refusal.ts'
import type { PlacementWork, Work } from './work.ts'

/**
 * An entry ends at this many claims, at this many characters of other changes, or after this time for deciding. Further calls are in the
 * next entry. The first call is in the entry in any case.
 */
const MAX_CLAIMS = 1_024
const MAX_CHARACTERS = 262_144
const MAX_DECIDING_MS = 10
/**
 * Before a decision that depends on the age of documents, an entry is written if the log's time is more than this many milliseconds old.
 */
const MAX_TIME_AGE_MS = 1_000

/** An entry ready to be sent, and the calls that wait for its changes. */
export interface Batch {
  /** Undefined if nothing must be written. */
  readonly entry: Entry | undefined
  /** The calls in the order of the entry's changes, each with its count of changes. */
  readonly owners: readonly { readonly work: Work; readonly changes: number }[]
  /** Calls that wait for the next batch. */
  readonly later: readonly Work[]
  /** True if some calls in `later` wait for a read of the store. */
  readonly needsFresh: boolean
  /** Calls that are answered without an entry, once the fleet that the answer depends on is durable. */
  readonly settled: readonly { readonly work: PlacementWork; readonly outcome: PlacementOutcome }[]
  /** Calls that wait for new answers of external plug-ins. */
  readonly outdated: readonly PlacementWork[]
  /** Placements that claim nothing. They are stored in tables, not in the log, before they are answered. */
  readonly advised: readonly UnloggedAnswer[]
  /** Refusals. They are stored like `advised`, but the cause of each is searched first. */
  readonly refused: readonly Refusal[]
}

/** A refusal without its cause. Searching the cause takes longer than making many decisions, so it is not done while a batch is built. */
export interface Refusal {
  readonly work: PlacementWork
  /** Searches the cause. `fleet` is in the state on which the batch was decided, and no other code may use it until the search ends. */
  search(fleet: Fleet): Steps<UnloggedAnswer>
}

/** A complete decision that must be stored, and the answer that its caller then gets. */
export interface UnloggedAnswer {
  readonly decision: UnloggedDecision
  answer(): void
  fail(error: Error): void
}

export interface BatchOptions {
  readonly entryId: string
  readonly writer: string
  /** The last call that arrived before the end of the log was last read, as a sequence number. */
  readonly freshUpTo: number
  /** The entry has at most this many calls; absent: no limit. */
  readonly mostWorks?: number
  /** The feature level to which the log is raised. Every living replica supports it. 0 for no change. */
  readonly raiseTo?: number
  newSeed(): string
  /** Checks a share of the decisions. Absent: no decision is checked. */
  readonly checks?: Pick<DecisionChecks, 'isDue' | 'compare' | 'fail'>
  /** The time of a clock that never goes back, in milliseconds. */
  monotonic(): number
}

/**
 * Decides the waiting calls, each on the present fleet with the earlier proposals in an overlay, and packs them into one entry. Proposals
 * of claims are the first changes of the entry, so that each was decided on exactly the proposals before it. Runs without yielding, so that
 * the fleet does not change meanwhile.
 */
export function buildBatch(fleet: Fleet, queue: Work[], options: BatchOptions): Batch {
  const claims: { change: Proposal; work: Work }[] = []
  const others: { changes: readonly Change[]; work: Work }[] = []
  const later: Work[] = []
  const settled: Batch['settled'][number][] = []
  const advised: UnloggedAnswer[] = []
  const refused: Refusal[] = []
  const outdated: PlacementWork[] = []
  const keys = new Set<string>()
  const instances = new Set<string>()
  let needsFresh = false
  let needsTime = false
  let parts = 0
  let size = 0
  const { mostWorks = Number.POSITIVE_INFINITY } = options
  const startedAt = options.monotonic()
  let lookedAt = startedAt
  const overlay = openOverlay(fleet)
  try {
    for (let work = queue.shift(); work !== undefined; work = queue.shift()) {
      if (work.abandoned) continue
      if (work.type === 'changes') {
        others.push({ changes: work.changes, work })
        size += JSON.stringify(work.changes).length
        lookedAt = options.monotonic()
      } else {
        const key = `${work.call.account}\u0000${work.call.key}`
        const named = work.call.mode === 'NONE' ? [] : work.call.request.instanceUuids
        // if two calls of a batch have the same key or the same instance, the second one is decided after the first one is in the log
        const step =
          keys.has(key) || named.some((instance) => instances.has(instance))
            ? ({ type: 'later', fresh: false } as const)
            : placeSafely(fleet, overlay, work, options, claims.length === 0)
        const now = options.monotonic()
        const tookUs = Math.round((now - lookedAt) * 1_000)
        lookedAt = now
        if (step === undefined) continue
        if (step.type === 'settled') settled.push({ work, outcome: step.outcome })
        else if (step.type === 'advised') advised.push(step.complete(tookUs))
        else if (step.type === 'refused') refused.push({ work, search: (copy) => step.search(copy, tookUs) })
        else if (step.type === 'outdated') outdated.push(work)
        else if (step.type === 'later') {
          later.push(work)
          needsFresh ||= step.fresh
          needsTime ||= 'time' in step
        } else {
          keys.add(key)
          for (const instance of named) instances.add(instance)
          const change = step.complete(tookUs)
          claims.push({ change, work })
          parts += change.parts.length
        }
      }
      if (claims.length + others.length >= mostWorks) break
      if (parts >= MAX_CLAIMS || size >= MAX_CHARACTERS || lookedAt - startedAt > MAX_DECIDING_MS) break
    }
  } finally {
    overlay.discard()
  }
  const changes: Change[] = [...claims.map(({ change }) => change), ...others.flatMap((other) => other.changes)]
  // an entry with newer kinds of changes also raises the log's level: an older replica then stops before the entry instead of misreading it
  const needed = Math.max(1, ...changes.map(levelOf))
  const level = changes.length === 0 ? needed : Math.max(needed, options.raiseTo ?? 0)
  if (level > fleet.featureLevel) changes.push({ type: 'feature', level })
  // this change repeats the present level and has no effect, but the time of its entry becomes the log's time
  else if (needsTime && changes.length === 0) changes.push({ type: 'feature', level: fleet.featureLevel })
  const { entryId: id, writer } = options
  return {
    entry: changes.length === 0 ? undefined : { format: ENTRY_FORMAT, id, writer, basis: fleet.place, changes },
    owners: [
      ...claims.map(({ work }) => ({ work, changes: 1 })),
      ...others.map(({ work, changes: own }) => ({ work, changes: own.length })),
    ],
    later,
    needsFresh,
    settled,
    outdated,
    advised,
    refused,
  }
}

type Step =
  | { readonly type: 'settled'; readonly outcome: PlacementOutcome }
  | { readonly type: 'proposed'; complete(tookUs: number): Proposal }
  /** `fresh`: the call would be refused, so the store must be read first. `time`: the time of the log must advance first. */
  | { readonly type: 'later'; readonly fresh: boolean; readonly time?: true }
  /** The answers of external plug-ins no longer apply, so new answers are requested. */
  | { readonly type: 'outdated' }
  /** A placement that claims nothing. */
  | { readonly type: 'advised'; complete(tookUs: number): UnloggedAnswer }
  | { readonly type: 'refused'; search(fleet: Fleet, tookUs: number): Steps<UnloggedAnswer> }

/** Decides one call. If the decision throws, which is a defect, this call fails and all other calls continue. */
function placeSafely(
  fleet: Fleet,
  overlay: Overlay,
  work: PlacementWork,
  options: BatchOptions,
  overlayIsEmpty: boolean,
): Step | undefined {
  const held = overlay.size
  try {
    return placeNext(fleet, overlay, work, options, overlayIsEmpty)
  } catch (error) {
    overlay.rollback(held)
    work.fail(error instanceof Error ? error : new Error(String(error)))
    return undefined
  }
}

function placeNext(fleet: Fleet, overlay: Overlay, work: PlacementWork, options: BatchOptions, overlayIsEmpty: boolean): Step {
  const { call } = work
  const known = answerFromKey(fleet, call)
  if (known !== undefined) return { type: 'settled', outcome: known }
  const isFresh = work.arrived <= options.freshUpTo
  // the decision has the log's time if an entry was written for this purpose, and otherwise at least the arrival time of the call
  const now = work.hasMovedTime ? fleet.now : Math.max(fleet.now, work.notAfter - call.deadlineMs)
  const found = findInstances(fleet, call, now)
  if (found?.type === 'taken')
    return isFresh && overlayIsEmpty
      ? { type: 'settled', outcome: { type: 'taken', claim: found.claim } }
      : { type: 'later', fresh: !isFresh }
  // a further attempt or a move uses the group of its claim with the present policy, so the group of its request is not checked
  const rule = found === undefined && call.source === null ? brokenRule(fleet, call) : undefined
  // perhaps the rule is broken only because of a group that another proposal of this batch creates, so the call waits until the batch is
  // applied
  if (rule !== undefined && !overlayIsEmpty) return { type: 'later', fresh: false }
  if (rule !== undefined) return isFresh ? { type: 'settled', outcome: { type: 'void', code: rule } } : { type: 'later', fresh: true }
  const profile = work.gathered.profile ?? fleet.profiles.pick(call.profile, call.account, call.key)
  if (profile === undefined)
    return isFresh ? { type: 'settled', outcome: { type: 'void', code: 'profile.unknown' } } : { type: 'later', fresh: true }
  if (lacksOf(profile, pluginsOf(fleet)).length > 0)
    return isFresh ? { type: 'settled', outcome: { type: 'void', code: 'profile.lacks_part' } } : { type: 'later', fresh: true }

  const source = call.source === null ? found?.source : findSource(fleet, call.source)
  // a proposal of this batch can change the claim, so the call waits until the batch is applied
  if (typeof source === 'string' && !overlayIsEmpty) return { type: 'later', fresh: false }
  if (typeof source === 'string')
    return isFresh ? { type: 'settled', outcome: { type: 'void', code: source } } : { type: 'later', fresh: true }
  const request = requestNow(fleet, call, source, found?.request ?? requestAfterCounted(fleet, call))
  if (asksAges(request, profile, pluginsOf(fleet)) && !work.hasMovedTime && work.notAfter - call.deadlineMs - fleet.now > MAX_TIME_AGE_MS) {
    work.hasMovedTime = true
    // external plug-ins are called again when the call is decided with the new time
    const { profile: _, ...others } = work.gathered
    work.gathered = others
    return { type: 'later', fresh: false, time: true }
  }
  // if another version became active, answers of external plug-ins for that version are missing
  if (work.gatherings < MAX_GATHERINGS && unansweredOf(fleet, profile, request).length > 0) return { type: 'outdated' }
  const isListed = call.isListed === true && fleet.featureLevel >= LISTED_CLAIMS
  // whether this claim takes effect is checked without the earlier proposals of this batch, so the call waits until they are applied
  if (isListed && !overlayIsEmpty) return { type: 'later', fresh: false }
  const { alternatesPerInstance, allOrNothing, intent } = call
  const held = overlay.size
  const attempt = work.attempt + 1
  const asked: DecideInput = {
    id: work.decisionId,
    request,
    profile,
    seed: options.newSeed(),
    attempt,
    alternatesPerInstance,
    allOrNothing,
    claimIds: work.claimIds,
    intent,
    source,
    ends: found?.ends,
    isListed,
    solution: work.gathered.solution,
  }
  const decided = decideChecked(fleet, overlay, asked, options.checks)
  if (isOutdated(decided.record) && work.gatherings < MAX_GATHERINGS) {
    overlay.rollback(held)
    return { type: 'outdated' }
  }
  if (decided.parts.length === 0 || call.mode === 'NONE') {
    overlay.rollback(held)
    // a refusal, or a placement that claims nothing, may depend only on durable state that is as new as the call, and therefore not on
    // earlier proposals of this batch
    if (!overlayIsEmpty) return { type: 'later', fresh: false }
    if (!isFresh) return { type: 'later', fresh: true }
    work.attempt = attempt
    if (decided.answer.length > 0) return adviceStep(fleet, work, decided)
    return refusalStep(fleet, work, decided, source, found?.ends)
  }
  if (isListed) {
    overlay.rollback(held)
    const refusal = listedRefusal(fleet, decided)
    if (refusal !== undefined) return isFresh ? { type: 'settled', outcome: refusal } : { type: 'later', fresh: true }
    for (const part of decided.parts) overlay.hold(part, groupOf(request))
  }
  work.attempt = attempt
  const { record, parts, answer } = decided
  const proposed = {
    account: call.account,
    key: call.key,
    digest: call.digest,
    mode: call.mode,
    ttlMs: call.ttlMs,
    ...(call.untilCounted === true && mayEndWhenCounted(fleet, options) && { untilCounted: true as const }),
    notAfter: work.notAfter,
    group: groupOf(request),
    parts,
    answer,
    decision: record,
  }
  const { source: moved } = call
  if (moved !== null && isMove(intent))
    return { type: 'proposed', complete: (tookUs) => ({ type: 'move', intent, source: moved, ...proposed, tookUs }) }
  const kind = intent === 'UNSHELVE' ? intent : 'CREATE'
  if (fleet.featureLevel < STRICT_CLAIMS)
    return { type: 'proposed', complete: (tookUs) => ({ type: 'claims', ...proposed, intent: kind, tookUs }) }
  const { projectId: project } = request
  if (found === undefined) {
    const listed = isListed && { isListed: true as const }
    return { type: 'proposed', complete: (tookUs) => ({ type: 'instances', project, ...listed, ...proposed, intent: kind, tookUs }) }
  }
  const [attempted, ended] = [refOf(found.source), found.ends === undefined ? null : refOf(found.ends)]
  return {
    type: 'proposed',
    complete: (tookUs) => ({ type: 'attempt', project, source: attempted, ends: ended, ...proposed, intent: kind, tookUs }),
  }
}

const refOf = ({ id, fence }: Claim): ClaimRef => ({ claim: id, fence })

/**
 * True if every replica can read a reservation that ends when its host counts the instance. As long as one cannot, such a call makes a
 * reservation that only its TTL ends, which holds at least as long.
 */
const mayEndWhenCounted = ({ featureLevel }: Fleet, { raiseTo = 0 }: BatchOptions): boolean =>
  Math.max(featureLevel, raiseTo) >= COUNTED_RESERVATIONS

/** The answer of an earlier call with the same idempotency key; undefined if no earlier call used the key. */
export function answerFromKey(fleet: Fleet, { account, key, digest }: PlacementCall): PlacementOutcome | undefined {
  const bound = fleet.ledger.findKey(account, key)
  if (bound === undefined) return undefined
  if (bound.answer === null || bound.decision === null) return { type: 'conflict', firstSeenAt: bound.boundAt, abandoned: true }
  if (bound.digest !== digest) return { type: 'conflict', firstSeenAt: bound.boundAt, abandoned: false }
  return {
    type: 'placed',
    decision: bound.decision,
    answer: bound.answer,
    claims: bound.claims.map((id) => fleet.ledger.claims.get(id)),
    replayed: true,
    revision: fleet.place.revision,
  }
}

/** Returns the code of a rule that makes every claim of the request void, on any host. No decision is then needed. */
function brokenRule(fleet: Fleet, { request }: PlacementCall): 'claim.group_mismatch' | undefined {
  const group = groupOf(request)
  const isBroken = group !== null && (!fleet.groups.accepts(group) || fleet.groups.sharesWith(group) !== undefined)
  return isBroken ? 'claim.group_mismatch' : undefined
}

/**
 * The record of a refusal, or of a placement that claims nothing. It is not in the log and has no time from the log, so its time is the
 * arrival of the call, or the time of the fleet if that is later.
 */
function unlogged(fleet: Fleet, { call, notAfter }: PlacementWork, { record }: Decided) {
  const place = { basis: fleet.place.revision, entryId: null, position: null }
  return { record, place, account: call.account, at: Math.max(fleet.now, notAfter - call.deadlineMs) }
}

const answerFor = (work: PlacementWork, decision: UnloggedDecision, outcome: PlacementOutcome): UnloggedAnswer => ({
  decision,
  answer: () => work.settle(outcome),
  fail: (error) => work.fail(error),
})

function adviceStep(fleet: Fleet, work: PlacementWork, decided: Decided): Step {
  const { answer, record } = decided
  const known = unlogged(fleet, work, decided)
  const isPart = answer.length < work.call.request.numInstances
  const outcome: PlacementOutcome = {
    type: 'placed',
    decision: record.id,
    answer,
    claims: answer.map(() => undefined),
    replayed: false,
    revision: fleet.place.revision,
  }
  return {
    type: 'advised',
    complete: (tookUs) => answerFor(work, { ...known, tookUs, outcome: isPart ? 'PARTIAL' : 'PLACED', answer, reasons: [] }, outcome),
  }
}

function refusalStep(fleet: Fleet, work: PlacementWork, decided: Decided, source: Claim | undefined, ends: Claim | undefined): Step {
  const { record, found } = decided
  const known = unlogged(fleet, work, decided)
  const { place } = known
  const { revision } = fleet.place
  return {
    type: 'refused',
    *search(copy, tookUs) {
      const { reasons, cause } = yield* whyRefusedInSteps(copy, work, decided, source, ends)
      const kept = copy.hosts.featureLevel >= KEPT_CAUSES ? { cause } : {}
      const decision: UnloggedDecision = { ...known, tookUs, outcome: 'NO_VALID_HOST', answer: [], reasons, ...kept }
      return answerFor(work, decision, { type: 'refused', record, place, reasons, cause, found, revision })
    },
  }
}
