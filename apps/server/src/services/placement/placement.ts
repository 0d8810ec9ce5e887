import { createHash } from 'node:crypto'
import {
  anywhere,
  type Change,
  type Claim,
  canonicalJson,
  DEFAULT_PROFILE,
  type Fleet,
  type Intent,
  isPlain,
  type Profile,
  parseRequestSpec,
  problemAt,
  publishedSpec,
  type RequestSpec,
  unlocatedFields,
  unreadKeys,
} from '@gantt/scheduler-core'
import type { KeptCause } from '../../db/tables/rows.ts'
import { answerYielding } from '../../event-loop/query.ts'
import type { Outside } from '../../plugin/outside/outside.ts'
import { findSource, isMove, requestNow } from '../../replica/propose/moves.ts'
import type { PlacementCall, PlacementOutcome, RefusalReason } from '../../replica/propose/placement.ts'
import { tryPlacementInSteps } from '../../replica/propose/try-placement.ts'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, type Issue, invalid, sentenceOf } from '../calls/outcome.ts'
import { type ClaimLost, DEFAULT_TTL_MS, lostClaim } from '../claim/claims.ts'
import type { Decisions, DecisionView } from '../decision/decisions.ts'
import { decidedOf } from '../decision/report-ages.ts'
import { lackingParts, unknownProfile } from '../profile/profiles.ts'
import { keepAccepted } from './accepted-requests.ts'
import { type Asked, checkAskedCall, checkBinding, checkCall, TTL_AT } from './call-checks.ts'
import { type InstanceDestinations, toDestinations } from './destinations.ts'
import { noHostMessage } from './no-valid-host.ts'
import type { PlacementInput, SpecDocument } from './placement-input.ts'
import { checkRequest, pathAsGiven } from './request-limits.ts'
import { withThingsOfClaim } from './things-of-claim.ts'

export const DEFAULT_DEADLINE_MS = 10_000
/** A call that requires a minimum revision waits at most this many milliseconds until this replica has applied it. */
const CATCH_UP_TIMEOUT_MS = 2_000

export interface Placed {
  readonly type: 'placed'
  readonly decision: DecisionView
  readonly destinations: readonly InstanceDestinations[]
  readonly replayed: boolean
  readonly revision: number
  readonly ignored: readonly string[]
  /** Those of `ignored` that have no effect because no recent document locates what they name. Computed only for callers that ask. */
  unlocated(): readonly string[]
}

export interface NoHost extends Failure {
  readonly type: 'no-host'
  readonly decision: DecisionView
  readonly reasons: readonly RefusalReason[]
  /** Why no host was found; null if the caller may not read hosts. */
  readonly cause: KeptCause | null
  readonly placedCount: number
  readonly ignored: readonly string[]
  unlocated(): readonly string[]
}

export interface KeyConflict extends Failure {
  readonly type: 'key-conflict'
  readonly firstSeenAt: number
}

export interface ReplicaBehind extends Failure {
  readonly type: 'behind'
  readonly revision: number
  readonly retryAfterMs: number
}

/** The failure if an instance of the request already has a live claim. Nothing is placed. */
export interface InstanceTaken extends Failure {
  readonly type: 'instance-taken'
  readonly rule: 'claim.instance_taken'
  /** The live claim of the instance; null if the caller may not read it. */
  readonly claim: Claim | null
}

export type SelectOutcome = Placed | NoHost | KeyConflict | ReplicaBehind | ClaimLost | InstanceTaken | Invalid

export interface Placement {
  /**
   * Parses and checks the request of a call. The limits of requests do not apply to a retry. Otherwise a retry could be refused because a
   * newer release has stricter limits.
   */
  read(account: string, input: PlacementInput): { readonly value: RequestSpec } | Invalid
  /**
   * Decides the request, claims the resources and returns the answer. A retry with the same key gets the same answer. `request` is the
   * parsed request; absent: `spec.document` is parsed.
   */
  select(account: string, input: PlacementInput, request?: RequestSpec): Promise<SelectOutcome>
  /**
   * Decides a call on a private fleet. Returns the changes that the call would write, or the answer if nothing can be placed. Nothing is
   * stored.
   */
  tryOn(
    fleet: Fleet,
    account: string,
    input: PlacementInput,
    request: RequestSpec,
  ): Promise<{ readonly changes: readonly Change[] } | SelectOutcome>
  /**
   * Store time (the database's clock) of the arrival of the oldest request that this replica has not answered yet. Undefined if no request
   * is waiting. No later decision of this replica has an earlier time.
   */
  oldestAsked(): number | undefined
}

/**
 * Parses unknown input as a request. The paths of errors begin at the root of the call. `isRepeated` is true for a retry. A retry decides
 * nothing, so the limits of requests do not apply.
 */
export function parseSpec(
  { accepted, key, document, issues, path, instancesAt, nova = null }: SpecDocument,
  isRepeated = false,
): { readonly value: RequestSpec } | Invalid {
  if (accepted !== undefined) return { value: accepted }
  // if the form of the document had errors, there is no document to parse, and the errors are the answer
  if (document === undefined && issues.length > 0) return invalid(issues)
  const parsed = parseRequestSpec(document)
  const placeOf = ([field, ...rest]: readonly string[]): readonly string[] =>
    field === 'instanceUuids' && instancesAt !== undefined
      ? [...instancesAt, ...rest]
      : [...path, ...pathAsGiven(nova, field === undefined ? [] : [field, ...rest])]
  const all = parsed.ok ? issues : [...issues, ...parsed.problems.map((problem) => problemAt(problem, placeOf(problem.path)))]
  if (!parsed.ok || all.length > 0) return invalid(all)
  if (isRepeated) return { value: parsed.value }
  const more = checkRequest(parsed.value, path)
  if (more.length > 0) return invalid(more)
  return { value: key === undefined ? parsed.value : keepAccepted(key, parsed.value) }
}

export function createPlacement(replica: Replica, decisions: Decisions, outside: Outside): Placement {
  /** Unanswered calls, in the order of arrival. */
  const waiting = new Set<{ readonly since: number }>()
  const placeByReplica = async (call: PlacementCall): Promise<PlacementOutcome> => {
    const one = { since: replica.storeTime }
    waiting.add(one)
    try {
      return await replica.place(call)
    } finally {
      waiting.delete(one)
    }
  }
  const place = async (account: string, request: RequestSpec, input: PlacementInput, isStored: boolean): Promise<SelectOutcome> => {
    const { minRevision } = input
    if (
      minRevision !== null &&
      !(await replica.reached(minRevision, Math.min(CATCH_UP_TIMEOUT_MS, input.deadlineMs ?? CATCH_UP_TIMEOUT_MS)))
    )
      return behind(replica, minRevision)
    const call = toCall(account, input, request)
    const asked = isStored || input.moveOf === null ? request : await withThingsOfClaim(decisions, replica.fleet, request, input.moveOf)
    return answerTo(await placeByReplica({ ...call, request: asked }), account, input, request)
  }
  const answerTo = (outcome: PlacementOutcome, account: string, input: PlacementInput, request: RequestSpec): SelectOutcome => {
    const profile = versionFor(replica.fleet, account, input)
    const unread = profile === undefined ? [] : unreadKeys(request, profile, replica.fleet)
    const ignored = [...(input.spec.ignored ?? []), ...unread, ...claimWithoutEffect(input)]
    const unlocated = (): readonly string[] =>
      profile === undefined ? [] : unlocatedFields(request, profile, replica.fleet).filter((path) => unread.includes(path))
    switch (outcome.type) {
      case 'placed': {
        // what is known about an earlier decision can have changed in the tables since it was made
        const decision = outcome.replayed ? decisions.view(outcome.decision) : decisions.viewMade(outcome.decision)
        return {
          type: 'placed',
          decision,
          destinations: toDestinations(replica, outcome.answer, outcome.claims, async () => decidedOf(await decision.load())),
          replayed: outcome.replayed,
          revision: outcome.revision,
          ignored: [...ignored, ...unavailable(input, outcome.claims)],
          unlocated,
        }
      }
      case 'refused':
        return { ...refused(decisions.viewMade(outcome.record.id), outcome, request.numInstances), ignored, unlocated }
      case 'conflict':
        return conflict(outcome)
      case 'taken':
        return instanceTaken(outcome.claim)
      case 'void':
        if (outcome.code === 'claim.lost' || outcome.code === 'claim.moving') return lostSource(replica, input, outcome.code)
        return invalid([voidIssue(replica, outcome.code, account, input, request)], outcome.code === 'claim.key_cap' ? 'QUOTA' : 'INVALID')
    }
  }

  const isKept = (account: string, { idempotencyKey }: PlacementInput): boolean =>
    replica.fleet.ledger.findKey(account, idempotencyKey) !== undefined
  const read = (account: string, input: PlacementInput) => parseSpec(input.spec, isKept(account, input))

  return {
    read,
    oldestAsked: () => waiting.values().next().value?.since,
    async select(account, input, request) {
      // a replica of an older release might just have accepted a key with characters that this release refuses
      if (!isPlain(input.idempotencyKey) && !isKept(account, input)) await replica.fresh()
      const parsed = request === undefined ? read(account, input) : { value: request }
      const isRepeated = isKept(account, input)
      const issues = [...('type' in parsed ? parsed.issues : []), ...checkCall(input, isRepeated)]
      if ('type' in parsed || issues.length > 0) return invalid(issues)
      const wrong = checkAskedCall(askedOn(replica.fleet, account, input, parsed.value), {
        intent: input.intent,
        moveOf: input.moveOf,
        allOrNothing: input.allOrNothing,
        isNew: request === undefined && !isRepeated,
        isRepeated,
      })
      return wrong.length > 0 ? invalid(wrong) : place(account, parsed.value, input, request !== undefined)
    },
    async tryOn(fleet, account, input, request) {
      const asked = askedOn(fleet, account, input, request)
      const wrong = [
        ...checkCall(input, false),
        ...checkAskedCall(asked, {
          intent: input.intent,
          moveOf: input.moveOf,
          allOrNothing: input.allOrNothing,
          isNew: false,
          isRepeated: false,
        }),
      ]
      if (wrong.length > 0) return invalid(wrong)
      const call = toCall(account, input, request)
      const { profile } = asked
      const source = call.source === null ? undefined : findSource(fleet, call.source)
      const completed = requestNow(fleet, call, typeof source === 'object' ? source : undefined)
      const gathering =
        profile === undefined
          ? undefined
          : outside.gather(fleet, profile, [anywhere(completed)], typeof source === 'object' ? { source, intent: call.intent } : {})
      const gathered = gathering === undefined ? {} : { profile: await gathering }
      const tried = await answerYielding(tryPlacementInSteps(fleet, call, gathered))
      return 'changes' in tried ? tried : answerTo(tried, account, input, request)
    },
  }
}

const versionFor = ({ profiles }: Fleet, account: string, { profile, idempotencyKey }: PlacementInput): Profile | undefined =>
  profiles.pick(profile ?? DEFAULT_PROFILE, account, idempotencyKey)

/** The input for the checks of a call: the fleet, the deciding profile version, and the request with its paths. */
const askedOn = (fleet: Fleet, account: string, input: PlacementInput, request: RequestSpec): Asked => ({
  fleet,
  profile: versionFor(fleet, account, input),
  request,
  path: input.spec.path,
  profilePath: ['input', 'profile'],
})

/** The path of the field that asks for reservations which also end when their hosts count the instances. */
const UNTIL_COUNTED = 'claim.untilCounted'

/**
 * The paths of the fields about the claim that have no effect in this call: a TTL if nothing is reserved, the end of a reservation that its
 * host counts if nothing is reserved or the claim is a part of a move, and the mode CONFIRM if nothing is claimed.
 */
export const claimWithoutEffect = ({
  ttlMs,
  ttlAt = TTL_AT,
  untilCounted = false,
  mode,
  intent,
}: Pick<PlacementInput, 'ttlMs' | 'ttlAt' | 'untilCounted' | 'mode' | 'intent'>): readonly string[] => [
  ...(mode === 'CONFIRM' && holdsNothing(intent) ? ['claim.mode'] : []),
  ...(ttlMs !== null && (mode !== 'RESERVE' || holdsNothing(intent)) ? [ttlAt.join('.')] : []),
  ...(untilCounted && !endsWhenCounted({ untilCounted, mode, intent }) ? [UNTIL_COUNTED] : []),
]

/** True if the call makes reservations that also end when the report of the host counts the instance. False for a move. */
const endsWhenCounted = ({ untilCounted = false, mode, intent }: Pick<PlacementInput, 'untilCounted' | 'mode' | 'intent'>): boolean =>
  untilCounted && mode === 'RESERVE' && !holdsNothing(intent) && !isMove(intent)

/** The condition that a call asked for but its reservations lack, because a replica cannot read reservations with it yet. */
const unavailable = (input: PlacementInput, claims: readonly (Claim | undefined)[]): readonly string[] =>
  endsWhenCounted(input) && claims.some((claim) => claim?.state === 'RESERVED' && claim.untilCounted === null) ? [UNTIL_COUNTED] : []

/** True if a call with this intent claims nothing. PROBE only evaluates hosts, and a rebuild uses the resources that the instance holds. */
const holdsNothing = (intent: Intent): boolean => intent === 'PROBE' || intent === 'REBUILD'

function toCall(account: string, input: PlacementInput, request: RequestSpec): PlacementCall {
  const { idempotencyKey: key, alternatesPerInstance, allOrNothing, intent, moveOf } = input
  const mode = holdsNothing(intent) ? 'NONE' : input.mode
  const source = moveOf === null ? null : { claim: moveOf.id, fence: moveOf.fence }
  const ttlMs = input.ttlMs ?? DEFAULT_TTL_MS
  const untilCounted = endsWhenCounted(input)
  const profile = input.profile ?? DEFAULT_PROFILE
  // the hash does not cover the deadline and the minimum revision, because a retry may change them
  const asked = {
    request: publishedSpec(input.keyed ?? request),
    intent,
    mode,
    ttlMs,
    ...(untilCounted && { untilCounted }),
    alternatesPerInstance,
    profile,
    allOrNothing,
    ...(source !== null && { source }),
  }
  return {
    account,
    key,
    digest: createHash('sha256').update(canonicalJson(asked)).digest('hex'),
    request,
    intent,
    source,
    profile,
    mode,
    ttlMs,
    untilCounted,
    deadlineMs: input.deadlineMs ?? DEFAULT_DEADLINE_MS,
    alternatesPerInstance,
    allOrNothing,
    takesAlternate: input.takesAlternate,
    isListed: input.isListed,
    gather: input.gather,
  }
}

function behind(replica: Replica, wanted: number): ReplicaBehind {
  const { revision } = replica.fleet.place
  return {
    type: 'behind',
    code: 'REPLICA_BEHIND',
    message: `This replica is at revision ${revision}; ${wanted} was requested. Retry, or call another replica.`,
    path: ['input', 'minRevision'],
    revision,
    retryAfterMs: 1_000,
  }
}

function refused(
  decision: DecisionView,
  { reasons, cause, found }: Extract<PlacementOutcome, { type: 'refused' }>,
  asked: number,
): Omit<NoHost, 'ignored' | 'unlocated'> {
  const message = noHostMessage(cause, asked)
  return { type: 'no-host', code: 'NO_VALID_HOST', message, path: null, decision, reasons, cause, placedCount: found }
}

function lostSource({ fleet }: Replica, { moveOf }: PlacementInput, code: 'claim.lost' | 'claim.moving'): ClaimLost | Invalid {
  const path = ['input', 'moveOf']
  const claim = moveOf === null ? undefined : fleet.ledger.claims.get(moveOf.id)
  if (moveOf === null || claim === undefined)
    return invalid([{ code, path: [...path, 'id'], message: sentenceOf(code), expected: 'a live claim', actual: moveOf?.id ?? '' }])
  return code === 'claim.moving'
    ? { type: 'claim-lost', code: 'CLAIM_LOST', message: sentenceOf(code), path, claim }
    : lostClaim(claim, moveOf.fence, path)
}

/**
 * The failure for an instance with a live claim. The message does not name the claim, because not every caller may read it. The field
 * `claim` contains the claim.
 */
const instanceTaken = (claim: Claim): InstanceTaken => ({
  type: 'instance-taken',
  code: 'INSTANCE_TAKEN',
  rule: 'claim.instance_taken',
  message: `${sentenceOf('claim.instance_taken')} Release it, move it (moveOf), or repeat its call with its own key.`,
  path: ['input'],
  claim,
})

function conflict({ firstSeenAt, abandoned }: Extract<PlacementOutcome, { type: 'conflict' }>): KeyConflict {
  const message = abandoned
    ? 'The idempotency key was abandoned; use a new one.'
    : 'The idempotency key was used for another request; use a new one, or repeat the same request.'
  return { type: 'key-conflict', code: 'IDEMPOTENCY_CONFLICT', message, path: ['input', 'idempotencyKey'], firstSeenAt }
}

function voidIssue(
  replica: Replica,
  code: Extract<PlacementOutcome, { type: 'void' }>['code'],
  account: string,
  input: PlacementInput,
  spec: RequestSpec,
): Issue {
  if (code === 'profile.unknown') return unknownProfile(replica, input.profile ?? DEFAULT_PROFILE, ['input', 'profile'])
  if (code === 'profile.lacks_part') {
    // nothing is found if a different version of the profile has become active since the decision; the general sentence of the code is then
    // returned
    const profile = versionFor(replica.fleet, account, input)
    const found = profile && lackingParts(replica.fleet, profile, ['input', 'profile'])
    if (found !== undefined) return found
  }
  const [mismatch] = code === 'claim.group_mismatch' ? checkBinding(replica.fleet, spec, input.spec.path) : []
  return mismatch ?? { code, path: ['input'], message: sentenceOf(code), expected: '', actual: '' }
}
