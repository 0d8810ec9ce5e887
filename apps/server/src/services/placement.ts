import { createHash } from 'node:crypto'
import {
  anywhere,
  type Change,
  type Claim,
  canonicalJson,
  DEFAULT_PROFILE,
  type Destination,
  type Fleet,
  type Intent,
  type Problem,
  parseRequestSpec,
  publishedSpec,
  type RequestSpec,
  type SelectedDestination,
  unreadKeys,
} from '@gantt/scheduler-core'
import type { WrittenRequest } from '@gantt/scheduler-core/nova'
import type { KeptCause } from '../db/rows.ts'
import type { Outside } from '../plugin/outside/outside.ts'
import { findSource, hintedGroup, isMove, requestNow } from '../replica/moves.ts'
import type { Gather, PlacementCall, PlacementOutcome, RefusalReason } from '../replica/placement.ts'
import type { Replica } from '../replica/replica.ts'
import { tryPlacement } from '../replica/try-placement.ts'
import { type ClaimLost, type ClaimRef, DEFAULT_TTL_MS, lostClaim, MAX_KEY_LENGTH, MAX_TTL_MS, MIN_TTL_MS } from './claims.ts'
import type { Decisions, DecisionView } from './decisions.ts'
import { type HostView, viewHost } from './host-view.ts'
import { type Failure, type Invalid, type Issue, invalid, issue, sentenceOf, under } from './outcome.ts'
import { lackingParts, unknownProfile } from './profiles.ts'
import { type Decided, decidedOf } from './report-ages.ts'
import { checkImageForNova, checkRequest, pathAsGiven } from './request-limits.ts'
import { checkName, checkRange } from './text.ts'
import { withThingsOfClaim } from './things-of-claim.ts'

export const DEFAULT_DEADLINE_MS = 10_000
const MAX_DEADLINE_MS = 60_000
const MAX_ALTERNATES = 10
/** How long a call waits for this replica to reach the revision that it names. */
const BEHIND_MS = 2_000

/** A request as a caller gave it, with what was wrong with its form already. */
export interface SpecDocument {
  readonly document?: unknown
  readonly issues: readonly Issue[]
  /** Where the caller gave it. */
  readonly path: readonly string[]
  /** Paths in it of fields that this release does not know, which have no effect: none in our own form, which has no such fields. */
  readonly ignored?: readonly string[]
  /** The document of Nova's that it was made of, as it is kept; null or absent: none. */
  readonly nova?: WrittenRequest | null
}

export interface PlacementInput {
  readonly spec: SpecDocument
  readonly intent: Intent
  /** The claim that the intent is about, where it is about one. */
  readonly moveOf: ClaimRef | null
  readonly idempotencyKey: string
  readonly mode: 'NONE' | 'RESERVE' | 'CONFIRM'
  readonly ttlMs: number | null
  readonly alternatesPerInstance: number
  readonly profile: string | null
  readonly allOrNothing: boolean
  readonly minRevision: number | null
  readonly deadlineMs: number | null
  /** Whether it takes an alternate that an earlier decision named: a live claim of the instance then moves there. */
  readonly takesAlternate?: boolean
  /** Whom to ask about it, where it is one of several calls that are solved together. */
  readonly gather?: Gather | undefined
}

/** A host that was chosen, or the next best. */
export interface ChosenHost {
  readonly destination: Destination
  readonly host: HostView
  readonly claim: Claim | null
  /** When it was chosen, and on which state. */
  decided(): Promise<Decided>
}

export interface InstanceDestinations {
  readonly instance: string | null
  readonly selected: ChosenHost
  readonly alternates: readonly ChosenHost[]
}

export interface Placed {
  readonly type: 'placed'
  readonly decision: DecisionView
  readonly destinations: readonly InstanceDestinations[]
  readonly replayed: boolean
  readonly revision: number
  readonly ignored: readonly string[]
}

export interface NoHost extends Failure {
  readonly type: 'no-host'
  readonly decision: DecisionView
  readonly reasons: readonly RefusalReason[]
  /** Null for a caller that may not see hosts. */
  readonly cause: KeptCause | null
  readonly placedCount: number
  readonly ignored: readonly string[]
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

/** An instance of the request has a live claim, so that nothing is placed. */
export interface InstanceTaken extends Failure {
  readonly type: 'instance-taken'
  readonly rule: 'claim.instance_taken'
  /** Null for a caller that may not read it: who learns the rule alone. */
  readonly claim: Claim | null
}

export type SelectOutcome = Placed | NoHost | KeyConflict | ReplicaBehind | ClaimLost | InstanceTaken | Invalid

export interface Placement {
  /** The request of a call. One whose key is bound has its answer, whatever a newer release is stricter about. */
  read(account: string, input: PlacementInput): { readonly value: RequestSpec } | Invalid
  /**
   * Decides, claims and answers; asking again with the same key gets the same answer. `request` is for callers that have
   * it parsed already; else `spec.document` is.
   */
  select(account: string, input: PlacementInput, request?: RequestSpec): Promise<SelectOutcome>
  /** What a call would write, decided on a fleet of the caller's own; or its answer, where nothing can be placed. Nothing is kept of it. */
  tryOn(
    fleet: Fleet,
    account: string,
    input: PlacementInput,
    request: RequestSpec,
  ): Promise<{ readonly changes: readonly Change[] } | SelectOutcome>
  /** Store time at which the oldest request came in that this replica has not answered yet; undefined: none waits. No decision about it is older. */
  oldestAsked(): number | undefined
}

/** Unknown input to a request, with paths from the root of the call. `isRepeated`: nothing is decided for it, so that no limit applies. */
export function parseSpec(
  { document, issues, path, nova = null }: SpecDocument,
  isRepeated = false,
): { readonly value: RequestSpec } | Invalid {
  // what could not be read at all says so itself
  if (document === undefined && issues.length > 0) return invalid(issues)
  const parsed = parseRequestSpec(document)
  const all = parsed.ok ? issues : [...issues, ...under(path, parsed.problems.map(asGiven(nova)))]
  if (!parsed.ok || all.length > 0) return invalid(all)
  const more = isRepeated ? [] : checkRequest(parsed.value, path)
  return more.length > 0 ? invalid(more) : { value: parsed.value }
}

/** A problem with the typed form, in the words of the document of Nova's that it was made of. */
const asGiven =
  (nova: WrittenRequest | null) =>
  (problem: Problem): Problem => {
    const path = pathAsGiven(nova, problem.path)
    return { ...problem, path, message: problem.message.replace(problem.path.join('.'), () => path.join('.')) }
  }

export function createPlacement(replica: Replica, decisions: Decisions, outside: Outside): Placement {
  /** In the order in which they came. */
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
    if (minRevision !== null && !(await replica.reached(minRevision, Math.min(BEHIND_MS, input.deadlineMs ?? BEHIND_MS))))
      return behind(replica, minRevision)
    const call = toCall(account, input, request)
    const asked = isStored || input.moveOf === null ? request : await withThingsOfClaim(decisions, replica.fleet, request, input.moveOf)
    return answerTo(await placeByReplica({ ...call, request: asked }), account, input, request)
  }
  const answerTo = (outcome: PlacementOutcome, account: string, input: PlacementInput, request: RequestSpec): SelectOutcome => {
    const ignored = [...(input.spec.ignored ?? []), ...unreadIn(replica.fleet, account, input, request), ...claimWithoutEffect(input)]
    switch (outcome.type) {
      case 'placed':
        return {
          type: 'placed',
          decision: decisions.view(outcome.decision),
          destinations: toDestinations(replica, outcome.answer, outcome.claims, async () =>
            decidedOf(await decisions.view(outcome.decision).load()),
          ),
          replayed: outcome.replayed,
          revision: outcome.revision,
          ignored,
        }
      case 'refused':
        return { ...refused(decisions.view(outcome.record.id), outcome, request.numInstances), ignored }
      case 'conflict':
        return conflict(outcome)
      case 'taken':
        return instanceTaken(outcome.claim)
      case 'void':
        if (outcome.code === 'claim.lost' || outcome.code === 'claim.moving') return lostSource(replica, input, outcome.code)
        return invalid([voidIssue(replica, outcome.code, account, input, request)], outcome.code === 'claim.key_cap' ? 'QUOTA' : 'INVALID')
    }
  }

  const read = (account: string, { spec, idempotencyKey }: PlacementInput) =>
    parseSpec(spec, replica.fleet.ledger.findKey(account, idempotencyKey) !== undefined)

  return {
    read,
    oldestAsked: () => waiting.values().next().value?.since,
    async select(account, input, request) {
      const parsed = request === undefined ? read(account, input) : { value: request }
      const issues = [...('type' in parsed ? parsed.issues : []), ...checkCall(input)]
      if ('type' in parsed || issues.length > 0) return invalid(issues)
      const isRepeated = replica.fleet.ledger.findKey(account, input.idempotencyKey) !== undefined
      const wrong = [
        ...checkMove(replica, input, parsed.value, request === undefined && !isRepeated),
        ...checkGang(replica, account, input, parsed.value),
        ...(isRepeated ? [] : checkHintedGroup(replica, input, parsed.value)),
        ...(isRepeated ? [] : checkImage(replica, account, input, parsed.value)),
      ]
      return wrong.length > 0 ? invalid(wrong) : place(account, parsed.value, input, request !== undefined)
    },
    async tryOn(fleet, account, input, request) {
      const wrong = [
        ...checkCall(input),
        ...checkMove({ fleet }, input, request, false),
        ...checkGang({ fleet }, account, input, request),
        ...checkHintedGroup({ fleet }, input, request),
        ...checkImage({ fleet }, account, input, request),
      ]
      if (wrong.length > 0) return invalid(wrong)
      const call = toCall(account, input, request)
      const profile = fleet.profiles.pick(call.profile, account, call.key)
      const source = call.source === null ? undefined : findSource(fleet, call.source)
      const asked = requestNow(fleet, call, typeof source === 'object' ? source : undefined)
      const gathering =
        profile === undefined
          ? undefined
          : outside.gather(fleet, profile, [anywhere(asked)], typeof source === 'object' ? { source, intent: call.intent } : {})
      const tried = tryPlacement(fleet, call, gathering === undefined ? {} : { profile: await gathering })
      return 'changes' in tried ? tried : answerTo(tried, account, input, request)
    },
  }
}

/** What of a request the version that decides does not look at; of one that is not there any more nothing is known. */
function unreadIn(fleet: Fleet, account: string, input: PlacementInput, request: RequestSpec): readonly string[] {
  const profile = fleet.profiles.pick(input.profile ?? DEFAULT_PROFILE, account, input.idempotencyKey)
  return profile === undefined ? [] : unreadKeys(request, profile, fleet)
}

/** How long a reservation holds says nothing where none is made. */
const claimWithoutEffect = ({ ttlMs, mode, intent }: PlacementInput): readonly string[] =>
  ttlMs !== null && (mode !== 'RESERVE' || holdsNothing(intent)) ? ['claim.ttl'] : []

/** Nothing new is taken where an instance is only looked at, or built again in its own room. */
const holdsNothing = (intent: Intent): boolean => intent === 'PROBE' || intent === 'REBUILD'

/** Whether a call with this intent is about a claim that is there already. */
const isAboutClaim = (intent: Intent): boolean => isMove(intent) || intent === 'REBUILD'

/** `isNew`: the caller wrote the request for this call, which nothing has answered yet. */
function checkMove(
  { fleet }: Pick<Replica, 'fleet'>,
  { intent, moveOf, spec: { path } }: PlacementInput,
  request: RequestSpec,
  isNew: boolean,
): Issue[] {
  if (moveOf === null || !isAboutClaim(intent)) return []
  const issues: Issue[] = []
  const at = (inner: readonly string[]) => [...path, ...pathAsGiven(request.nova, inner)]
  if (request.numInstances !== 1) issues.push(issue(at(['numInstances']), request.numInstances, `be 1: ${intent} is of one instance`))
  const [named] = request.instanceUuids
  const claim = fleet.ledger.claims.get(moveOf.id)
  if (named !== undefined && claim !== undefined && claim.instance !== named)
    issues.push(issue(at(['instanceUuids']), named, `be ${claim.instance ?? 'left out'}, the instance of the claim`))
  const { instanceGroup } = request
  // a group that Nova did not name is known by the instance, and is whatever group the claim is in
  const isNamed = instanceGroup !== null && instanceGroup.uuid !== named
  if (isNamed && claim !== undefined && claim.group !== instanceGroup.uuid)
    issues.push(
      issue(
        at(['instanceGroup', 'uuid']),
        instanceGroup.uuid,
        `be ${claim.group ?? 'left out: the claim is in no group'}; a move keeps its group`,
      ),
    )
  else if (instanceGroup !== null && claim !== undefined && isNew) issues.push(...checkKeptRule(fleet, claim, instanceGroup, at))
  return issues
}

/** A move keeps the rule of its group, which operators change. */
function checkKeptRule(
  { groups }: Fleet,
  { group: uuid }: Claim,
  { policy, maxServerPerHost }: NonNullable<RequestSpec['instanceGroup']>,
  at: (inner: readonly string[]) => readonly string[],
): Issue[] {
  const group = uuid === null ? undefined : groups.find(uuid)
  if (group === undefined) return []
  const keeps = 'a move keeps the rule of its group, which serverGroupUpdate changes'
  if (policy !== group.policy) return [issue(at(['instanceGroup', 'policy']), policy, `be ${group.policy}: ${keeps}`)]
  const most = group.maxServerPerHost ?? 1
  if (policy !== 'ANTI_AFFINITY' || maxServerPerHost === null || maxServerPerHost === most) return []
  return [issue(at(['instanceGroup', 'maxServerPerHost']), maxServerPerHost, `be ${most}, or be left out: ${keeps}`)]
}

/** A group that only a hint names is one with members here, whose rule is known. */
function checkHintedGroup({ fleet }: Pick<Replica, 'fleet'>, { spec: { path }, moveOf }: PlacementInput, request: RequestSpec): Issue[] {
  const uuid = moveOf === null ? hintedGroup(request) : undefined
  if (uuid === undefined || fleet.groups.find(uuid) !== undefined) return []
  const rule = 'be a server group that has members here, or come with group_policies and group_hosts, as setup_instance_group adds them'
  return [issue([...path, 'filter_properties', 'scheduler_hints', 'group'], request.schedulerHints.group?.[0], rule)]
}

/** All instances of a gang are placed, or none; and Nova knows no gangs. */
function checkGang({ fleet }: Pick<Replica, 'fleet'>, account: string, input: PlacementInput, { gang }: RequestSpec): Issue[] {
  if (gang.length === 0) return []
  const { allOrNothing, idempotencyKey, profile } = input
  const asked = profile ?? DEFAULT_PROFILE
  const issues: Issue[] = []
  if (!allOrNothing) issues.push(issue(['input', 'allOrNothing'], allOrNothing, 'be true: a gang is placed whole or not at all'))
  if (fleet.profiles.pick(asked, account, idempotencyKey)?.compat === 'nova')
    issues.push(issue(['input', 'profile'], asked, 'be one without compat: nova, whose rounds know one flavor, for a gang'))
  return issues
}

/** Nova's own rules read all of an image. */
function checkImage({ fleet }: Pick<Replica, 'fleet'>, account: string, input: PlacementInput, request: RequestSpec): Issue[] {
  const { idempotencyKey, profile, spec } = input
  const isOfNova = fleet.profiles.pick(profile ?? DEFAULT_PROFILE, account, idempotencyKey)?.compat === 'nova'
  return isOfNova ? checkImageForNova(request, spec.path) : []
}

function checkCall(input: PlacementInput): Issue[] {
  const { intent, moveOf, idempotencyKey, ttlMs, alternatesPerInstance, deadlineMs, profile } = input
  return [
    ...(isAboutClaim(intent) && moveOf === null
      ? [issue(['input', 'moveOf'], undefined, `be the claim that ${intent} is about, with its fence`)]
      : []),
    ...(!isAboutClaim(intent) && moveOf !== null
      ? [issue(['input', 'moveOf'], moveOf.id, `be left out: ${intent} is about no claim`)]
      : []),
    ...checkName(['input', 'idempotencyKey'], idempotencyKey, { max: MAX_KEY_LENGTH }),
    ...(ttlMs === null ? [] : checkRange(['input', 'claim', 'ttl'], ttlMs, MIN_TTL_MS, MAX_TTL_MS, ' ms')),
    ...checkRange(['input', 'alternatesPerInstance'], alternatesPerInstance, 0, MAX_ALTERNATES),
    ...checkDeadline(deadlineMs),
    ...(profile === null ? [] : checkName(['input', 'profile'], profile, { max: 80 })),
  ]
}

/** How long a caller may wait, from 1 ms to a minute. */
export const checkDeadline = (deadlineMs: number | null): Issue[] =>
  deadlineMs === null ? [] : checkRange(['input', 'deadline'], deadlineMs, 1, MAX_DEADLINE_MS, ' ms')

function toCall(account: string, input: PlacementInput, request: RequestSpec): PlacementCall {
  const { idempotencyKey: key, alternatesPerInstance, allOrNothing, intent, moveOf } = input
  const mode = holdsNothing(intent) ? 'NONE' : input.mode
  const source = moveOf === null ? null : { claim: moveOf.id, fence: moveOf.fence }
  const ttlMs = input.ttlMs ?? DEFAULT_TTL_MS
  const profile = input.profile ?? DEFAULT_PROFILE
  // what is asked, not how long the caller waits or how much it wants to hear
  const asked = {
    request: publishedSpec(request),
    intent,
    mode,
    ttlMs,
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
    deadlineMs: input.deadlineMs ?? DEFAULT_DEADLINE_MS,
    alternatesPerInstance,
    allOrNothing,
    takesAlternate: input.takesAlternate,
    gather: input.gather,
  }
}

/** The answer with the hosts and claims that it names. A host that left since is there as what is left of it, a replaced one by its present name. */
export function toDestinations(
  { fleet }: Replica,
  answer: readonly SelectedDestination[],
  claims: readonly (Claim | undefined)[],
  decided: ChosenHost['decided'],
): InstanceDestinations[] {
  const chosen = (destination: Destination, claim: Claim | null): ChosenHost => {
    const record = claim === null ? fleet.hosts.findEver(destination) : fleet.hosts.get(claim.host)
    if (record === undefined) throw new Error(`the chosen host ${destination.host} is not in the fleet`)
    return { destination, host: viewHost(fleet, record), claim, decided }
  }
  return answer.map(({ instance, selected, alternates }, i) => ({
    instance,
    selected: chosen(selected, claims[i] ?? null),
    alternates: alternates.map((alternate) => chosen(alternate, null)),
  }))
}

function behind(replica: Replica, wanted: number): ReplicaBehind {
  const { revision } = replica.fleet.place
  return {
    type: 'behind',
    code: 'REPLICA_BEHIND',
    message: `This replica is at revision ${revision}; ${wanted} was asked for. Ask again, or ask another replica.`,
    path: ['input', 'minRevision'],
    revision,
    retryAfterMs: 1_000,
  }
}

function refused(
  decision: DecisionView,
  { reasons, cause, found }: Extract<PlacementOutcome, { type: 'refused' }>,
  asked: number,
): Omit<NoHost, 'ignored'> {
  const message = noHostMessage(cause, asked)
  return { type: 'no-host', code: 'NO_VALID_HOST', message, path: null, decision, reasons, cause, placedCount: found }
}

/** Why there is no host for a request of so many instances. */
export const noHostMessage = ({ text }: KeptCause, asked: number): string =>
  `${asked === 1 ? 'No host can take the instance.' : `Not all ${asked} instances find a host.`} ${text}`

function lostSource({ fleet }: Replica, { moveOf }: PlacementInput, code: 'claim.lost' | 'claim.moving'): ClaimLost | Invalid {
  const path = ['input', 'moveOf']
  const claim = moveOf === null ? undefined : fleet.ledger.claims.get(moveOf.id)
  if (moveOf === null || claim === undefined)
    return invalid([{ code, path: [...path, 'id'], message: sentenceOf(code), expected: 'a live claim', actual: moveOf?.id ?? '' }])
  return code === 'claim.moving'
    ? { type: 'claim-lost', code: 'CLAIM_LOST', message: sentenceOf(code), path, claim }
    : lostClaim(claim, moveOf.fence, path)
}

/** Said alike to all: which claim it is stands in a field that not every caller gets. */
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
    // another version may decide by now: what was in the way is told all the same
    const profile = replica.fleet.profiles.pick(input.profile ?? DEFAULT_PROFILE, account, input.idempotencyKey)
    const found = profile && lackingParts(replica.fleet, profile, ['input', 'profile'])
    if (found !== undefined) return found
  }
  if (code === 'claim.group_mismatch' && spec.instanceGroup !== null) {
    const { uuid, policy, maxServerPerHost, apartFrom } = spec.instanceGroup
    const { groups } = replica.fleet
    const shared = groups.sharesWith(spec.instanceGroup)
    if (shared !== undefined)
      return issue(
        [...input.spec.path, 'instanceGroup', 'apartFrom'],
        apartFrom,
        `name no group that server group ${uuid} shares a host with, as it does with ${shared}: move or end the members of one of them there first`,
        code,
      )
    const group = groups.find(uuid)
    const isPolicy = group?.policy !== policy
    return issue(
      [...input.spec.path, 'instanceGroup', isPolicy ? 'policy' : 'maxServerPerHost'],
      isPolicy ? policy : maxServerPerHost,
      `be ${isPolicy ? group?.policy : group?.maxServerPerHost}, as the first claim of server group ${uuid} bound it`,
      code,
    )
  }
  return { code, path: ['input'], message: sentenceOf(code), expected: '', actual: '' }
}
