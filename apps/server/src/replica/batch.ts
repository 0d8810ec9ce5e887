import {
  asksAges,
  asksPlain,
  type Change,
  type Claim,
  type ClaimRef,
  causeOf,
  currentSpec,
  type Decided,
  decide,
  ENTRY_FORMAT,
  type Entry,
  type Fleet,
  groupOf,
  KEPT_CAUSES,
  lacksOf,
  levelOf,
  liftSource,
  type Overlay,
  openOverlay,
  type Proposal,
  pluginsOf,
  reasonText,
  refusalsOf,
  STRICT_CLAIMS,
  unansweredOf,
  wayOut,
} from '@gantt/scheduler-core'
import type { KeptCause } from '../db/rows.ts'
import { findInstances } from './attempts.ts'
import { isOutdated, MOST_GATHERINGS } from './gather.ts'
import { keptCause } from './kept-cause.ts'
import { findSource, isMove, requestNow } from './moves.ts'
import type { PlacementCall, PlacementOutcome, RefusalReason, UnloggedDecision } from './placement.ts'
import type { PlacementWork, Work } from './work.ts'

/** What one entry may carry at most, and how long deciding it may take: beyond, the next entry begins. One piece of work always fits. */
const MAX_CLAIMS = 1_024
const MAX_CHARACTERS = 262_144
const MAX_DECIDING_MS = 10
/** A log whose time stands for longer is moved on before a request is decided that asks how old documents are. */
const MAX_STANDING_MS = 1_000

/** An entry ready to be sent, and who waits for which of its changes. */
export interface Batch {
  /** Undefined when nothing needs to be written. */
  readonly entry: Entry | undefined
  /** In the order of the entry's changes; each owns as many as it proposed. */
  readonly owners: readonly { readonly work: Work; readonly changes: number }[]
  /** Work that waits for the next batch. */
  readonly later: readonly Work[]
  /** True when some of it waits for a look at the store. */
  readonly needsFresh: boolean
  /** What is answered without an entry, once the fleet that it was answered from is durable. */
  readonly settled: readonly { readonly work: PlacementWork; readonly outcome: PlacementOutcome }[]
  /** Work that waits until others are asked again about it. */
  readonly outdated: readonly PlacementWork[]
  /** Refusals and advice: recorded beside the log before they are answered. */
  readonly unlogged: readonly { readonly decision: UnloggedDecision; answer(): void; fail(error: Error): void }[]
}

export interface BatchOptions {
  readonly entryId: string
  readonly writer: string
  /** Everything that arrived up to here has been followed by a look at the store's head. */
  readonly freshUpTo: number
  /** How many pieces of work the entry may hold; all that fit if not given. */
  readonly mostWorks?: number
  /** The feature level that the log may be raised to, since every living replica reads it; 0 where it stays as it is. */
  readonly raiseTo?: number
  newSeed(): string
  monotonic(): number
}

/**
 * Decides what waits, on the fleet as it is plus an overlay of the proposals before each, and packs it into one entry.
 * Claims come first, so that each was decided on exactly the claims before it. Synchronous: nothing moves meanwhile.
 */
export function buildBatch(fleet: Fleet, queue: Work[], options: BatchOptions): Batch {
  const claims: { change: Proposal; work: Work }[] = []
  const others: { changes: readonly Change[]; work: Work }[] = []
  const later: Work[] = []
  const settled: Batch['settled'][number][] = []
  const unlogged: Batch['unlogged'][number][] = []
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
        // the same key twice in one batch: the second is answered from the first; so is the same instance, once the first is in the log
        const step =
          keys.has(key) || named.some((instance) => instances.has(instance))
            ? ({ type: 'later', fresh: false } as const)
            : placeSafely(fleet, overlay, work, options, claims.length === 0)
        const now = options.monotonic()
        const tookUs = Math.round((now - lookedAt) * 1_000)
        lookedAt = now
        if (step === undefined) continue
        if (step.type === 'settled') settled.push({ work, outcome: step.outcome })
        else if (step.type === 'unlogged') unlogged.push({ ...step, decision: { ...step.decision, tookUs } })
        else if (step.type === 'outdated') outdated.push(work)
        else if (step.type === 'later') {
          later.push(work)
          needsFresh ||= step.fresh
          needsTime ||= 'time' in step
        } else {
          keys.add(key)
          for (const instance of named) instances.add(instance)
          claims.push({ change: { ...step.change, tookUs }, work })
          parts += step.change.parts.length
        }
      }
      if (claims.length + others.length >= mostWorks) break
      if (parts >= MAX_CLAIMS || size >= MAX_CHARACTERS || lookedAt - startedAt > MAX_DECIDING_MS) break
    }
  } finally {
    overlay.discard()
  }
  const changes: Change[] = [...claims.map(({ change }) => change), ...others.flatMap((other) => other.changes)]
  // older replicas must stop before they meet what they cannot read
  const needed = Math.max(1, ...changes.map(levelOf))
  const level = changes.length === 0 ? needed : Math.max(needed, options.raiseTo ?? 0)
  if (level > fleet.featureLevel) changes.push({ type: 'feature', level })
  // it says nothing new, but its stamp is the time of the log from then on
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
    unlogged,
    outdated,
  }
}

type Step =
  | { readonly type: 'settled'; readonly outcome: PlacementOutcome }
  | { readonly type: 'proposed'; readonly change: Proposal }
  /** `fresh`: it would be refused, which needs a look at the store first; `time`: the time of the log has to move on first. */
  | { readonly type: 'later'; readonly fresh: boolean; readonly time?: true }
  /** What others said about it does not hold any more: they are asked again. */
  | { readonly type: 'outdated' }
  | { readonly type: 'unlogged'; readonly decision: UnloggedDecision; answer(): void; fail(error: Error): void }

/** A request whose decision throws is a defect; it fails alone, and the others go on. */
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
  // an entry that came after the call says what time it is; until there is one, it is the time at which the call came
  const now = work.hasMovedTime ? fleet.now : Math.max(fleet.now, work.notAfter - call.deadlineMs)
  const found = findInstances(fleet, call, now)
  if (found?.type === 'taken')
    return isFresh && overlayIsEmpty
      ? { type: 'settled', outcome: { type: 'taken', claim: found.claim } }
      : { type: 'later', fresh: !isFresh }
  // a further attempt, and a move, keep the group of their claim with the rule that it has now, whatever their request says
  const rule = found === undefined && call.source === null ? brokenRule(fleet, call) : undefined
  // the group may be one that a proposal of this very batch has just bound: that stands only once the entry is applied
  if (rule !== undefined && !overlayIsEmpty) return { type: 'later', fresh: false }
  if (rule !== undefined) return isFresh ? { type: 'settled', outcome: { type: 'void', code: rule } } : { type: 'later', fresh: true }
  const profile = work.gathered.profile ?? fleet.profiles.pick(call.profile, call.account, call.key)
  if (profile === undefined)
    return isFresh ? { type: 'settled', outcome: { type: 'void', code: 'profile.unknown' } } : { type: 'later', fresh: true }
  if (lacksOf(profile, pluginsOf(fleet)).length > 0)
    return isFresh ? { type: 'settled', outcome: { type: 'void', code: 'profile.lacks_part' } } : { type: 'later', fresh: true }

  const source = call.source === null ? found?.source : findSource(fleet, call.source)
  // what this very batch proposes about the claim may have to be seen first
  if (typeof source === 'string' && !overlayIsEmpty) return { type: 'later', fresh: false }
  if (typeof source === 'string')
    return isFresh ? { type: 'settled', outcome: { type: 'void', code: source } } : { type: 'later', fresh: true }
  const request = requestNow(fleet, call, source, found?.request)
  if (asksAges(request, profile, pluginsOf(fleet)) && !work.hasMovedTime && work.notAfter - call.deadlineMs - fleet.now > MAX_STANDING_MS) {
    work.hasMovedTime = true
    // what parts outside of the process said by the time before counts no more
    const { profile: _, ...others } = work.gathered
    work.gathered = others
    return { type: 'later', fresh: false, time: true }
  }
  // another version is active by now, of which parts outside of the process were not asked
  if (work.gatherings < MOST_GATHERINGS && unansweredOf(fleet, profile, request).length > 0) return { type: 'outdated' }
  const { alternatesPerInstance, allOrNothing, intent } = call
  const held = overlay.size
  const attempt = work.attempt + 1
  const decided = decide(fleet, overlay, {
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
    solution: work.gathered.solution,
  })
  if (isOutdated(decided.record) && work.gatherings < MOST_GATHERINGS) {
    overlay.rollback(held)
    return { type: 'outdated' }
  }
  if (decided.parts.length === 0 || call.mode === 'NONE') {
    overlay.rollback(held)
    // a refusal, and advice, stand on durable state alone: nothing of this batch, and nothing older than the call
    if (!overlayIsEmpty) return { type: 'later', fresh: false }
    if (!isFresh) return { type: 'later', fresh: true }
    work.attempt = attempt
    if (decided.answer.length > 0) return adviceStep(fleet, work, decided)
    return refusalStep(fleet, work, decided, whyRefused(fleet, overlay, work, decided, source, found?.ends))
  }
  work.attempt = attempt
  const { record, parts, answer } = decided
  const proposed = {
    account: call.account,
    key: call.key,
    digest: call.digest,
    mode: call.mode,
    ttlMs: call.ttlMs,
    notAfter: work.notAfter,
    group: groupOf(request),
    parts,
    answer,
    decision: record,
  }
  if (call.source !== null && isMove(intent))
    return { type: 'proposed', change: { type: 'move', intent, source: call.source, ...proposed } }
  const forNew = { ...proposed, intent: intent === 'UNSHELVE' ? intent : ('CREATE' as const) }
  if (fleet.featureLevel < STRICT_CLAIMS) return { type: 'proposed', change: { type: 'claims', ...forNew } }
  const { projectId: project } = request
  if (found === undefined) return { type: 'proposed', change: { type: 'instances', project, ...forNew } }
  return {
    type: 'proposed',
    change: { type: 'attempt', project, source: refOf(found.source), ends: found.ends === undefined ? null : refOf(found.ends), ...forNew },
  }
}

const refOf = ({ id, fence }: Claim): ClaimRef => ({ claim: id, fence })

/** The answer that a used key binds the call to. */
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

/** A rule that the judge would hold against every host: no search can help. */
function brokenRule(fleet: Fleet, { request }: PlacementCall): 'claim.group_mismatch' | undefined {
  const group = groupOf(request)
  const isBroken = group !== null && (!fleet.groups.accepts(group) || fleet.groups.sharesWith(group) !== undefined)
  return isBroken ? 'claim.group_mismatch' : undefined
}

/** What advice and refusals are kept with. They are in no log and carry no stamp: the store's time is that at which the call arrived. */
function unlogged(fleet: Fleet, { call, notAfter }: PlacementWork, { record }: Decided) {
  const place = { basis: fleet.place.revision, entryId: null, position: null }
  return { record, place, account: call.account, at: Math.max(fleet.now, notAfter - call.deadlineMs) }
}

function adviceStep(fleet: Fleet, work: PlacementWork, decided: Decided): Step {
  const { answer, record } = decided
  const outcome: PlacementOutcome = {
    type: 'placed',
    decision: record.id,
    answer,
    claims: answer.map(() => undefined),
    replayed: false,
    revision: fleet.place.revision,
  }
  const isPart = answer.length < work.call.request.numInstances
  return {
    type: 'unlogged',
    decision: { ...unlogged(fleet, work, decided), outcome: isPart ? 'PARTIAL' : 'PLACED', answer, reasons: [] },
    answer: () => work.settle(outcome),
    fail: (error) => work.fail(error),
  }
}

function refusalStep(fleet: Fleet, work: PlacementWork, decided: Decided, { reasons, cause }: Refused): Step {
  const { record, found } = decided
  const kept = unlogged(fleet, work, decided)
  const { place } = kept
  return {
    type: 'unlogged',
    decision: { ...kept, outcome: 'NO_VALID_HOST', answer: [], reasons, ...(fleet.hosts.featureLevel >= KEPT_CAUSES && { cause }) },
    answer: () => work.settle({ type: 'refused', record, place, reasons, cause, found, revision: fleet.place.revision }),
    fail: (error) => work.fail(error),
  }
}

/** Why no host takes the instance that found none, and why each is out, counted by filter and code: earlier picks hold their share. */
function whyRefused(
  fleet: Fleet,
  overlay: Overlay,
  work: PlacementWork,
  decided: Decided,
  source: Claim | undefined,
  ends: Claim | undefined,
): Refused {
  const { claimIds, gathered } = work
  const { record, found, judged: profile } = decided
  const held = overlay.size
  const { id, seed, attempt, alternatesPerInstance } = record
  const request = currentSpec(record.request)
  if (ends !== undefined) overlay.liftDestination(ends, asksPlain(request))
  // a move is of one instance: there are no earlier picks
  if (source !== undefined) liftSource(overlay, request, source, record.intent)
  else if (found > 0)
    decide(fleet, overlay, {
      id,
      request,
      profile,
      seed,
      attempt,
      alternatesPerInstance,
      allOrNothing: false,
      claimIds,
      solution: gathered.solution,
    })
  const cause = causeOf(fleet, request, profile, found)
  // with the cause that is kept the reasons are its own, so that they begin with its code
  const reasons = fleet.hosts.featureLevel >= KEPT_CAUSES ? cause.reasons : refusalsOf(fleet, request, profile, found)
  overlay.rollback(held)
  const input = { id, request, profile, seed, attempt, alternatesPerInstance, allOrNothing: true, claimIds, intent: record.intent, source }
  return {
    cause: keptCause(cause, wayOut(fleet, overlay, input, cause)),
    reasons: reasons.map(({ filter, code, hosts, example }) => ({ filter, code, hosts, text: reasonText(example) })),
  }
}

interface Refused {
  readonly reasons: readonly RefusalReason[]
  readonly cause: KeptCause
}
