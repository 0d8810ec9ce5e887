import type { Claim, Fleet, Intent, Profile, RequestSpec } from '@gantt/scheduler-core'
import { groupOf, tooSmallForImage } from '@gantt/scheduler-core'
import { hintedGroup, isMove } from '../../replica/propose/moves.ts'
import { type Issue, issue } from '../calls/outcome.ts'
import { checkKey, checkName, checkRange } from '../calls/text.ts'
import { type ClaimRef, MAX_KEY_LENGTH, MAX_TTL_MS, MIN_TTL_MS } from '../claim/claims.ts'
import type { ClaimMode, PlacementInput } from './placement-input.ts'
import { checkImageForNova, pathAsGiven } from './request-limits.ts'

const MAX_DEADLINE_MS = 60_000
const MAX_ALTERNATES = 10

/** A valid request that is about to be decided on a fleet. */
export interface Asked {
  readonly fleet: Fleet
  /** The profile version that decides. Undefined if there is no such version; a different check then refuses the call. */
  readonly profile: Profile | undefined
  readonly request: RequestSpec
  /** The paths of the request and of the profile's name in the caller's input. */
  readonly path: readonly string[]
  readonly profilePath: readonly string[]
}

/** The arguments of the call that determine which rules apply to its request. */
interface AskedBy extends Pick<PlacementInput, 'intent' | 'moveOf' | 'allOrNothing'> {
  /** True if the caller wrote the request for this call. False for a retry, and for the request of an earlier decision. */
  readonly isNew: boolean
  /** True if an earlier call has used the idempotency key. No new decision is made then. */
  readonly isRepeated: boolean
}

/**
 * The errors of a new call that are found before any host is evaluated. The rule of the server group is not checked here, but when the
 * claim is applied.
 */
export function checkAskedCall(asked: Asked, { intent, moveOf, allOrNothing, isNew, isRepeated }: AskedBy): Issue[] {
  return [
    ...(moveOf === null ? [] : checkMove(asked, { intent, moveOf, isNew })),
    ...checkGang(asked, allOrNothing),
    ...(isRepeated || moveOf !== null ? [] : checkHintedGroup(asked)),
    ...(isRepeated || (moveOf !== null && !isNew) ? [] : checkZone(asked)),
    ...(isRepeated ? [] : checkImage(asked)),
    ...(isRepeated || !isNew ? [] : checkFlavor(asked, intent)),
  ]
}

/**
 * The errors of a query about a request: the errors of a call that creates the instances, and conflicts with the rule of the server group.
 */
export const checkAsked = (asked: Asked): Issue[] => [
  ...checkAskedCall(asked, { intent: 'CREATE', moveOf: null, allOrNothing: true, isNew: true, isRepeated: false }),
  ...checkBinding(asked.fleet, asked.request, asked.path),
]

/**
 * Checks that the server group has the same rule in the request as in the fleet, and shares no host with a group from which the request
 * keeps it apart. Otherwise the claim would be refused on every host.
 */
export function checkBinding({ groups }: Pick<Fleet, 'groups'>, request: RequestSpec, path: readonly string[]): Issue[] {
  const binding = groupOf(request)
  if (binding === null || request.instanceGroup === null) return []
  const { uuid, policy, maxServerPerHost, apartFrom } = request.instanceGroup
  const at = (field: string): readonly string[] => [...path, ...pathAsGiven(request.nova, ['instanceGroup', field])]
  const group = groups.find(uuid)
  if (group !== undefined && !groups.accepts(binding)) {
    const isPolicy = group.policy !== policy
    const [field, found, bound] = isPolicy
      ? (['policy', policy, group.policy] as const)
      : (['maxServerPerHost', maxServerPerHost, group.maxServerPerHost] as const)
    return [issue(at(field), found, `be ${bound}, as the first claim of server group ${uuid} bound it`, 'claim.group_mismatch')]
  }
  const shared = groups.sharesWith(binding)
  if (shared === undefined) return []
  const rule = `name no group that shares a host with server group ${uuid}, as ${shared} does: first move or end the members of one of the groups there`
  return [issue(at('apartFrom'), apartFrom, rule, 'claim.group_mismatch')]
}

/** Checks that a move concerns exactly the instance of its claim, and that it keeps the claim's server group. */
function checkMove(
  { fleet, request, path }: Asked,
  { intent, moveOf, isNew }: { readonly intent: Intent; readonly moveOf: ClaimRef; readonly isNew: boolean },
): Issue[] {
  if (!isAboutClaim(intent)) return []
  const issues: Issue[] = []
  const at = (inner: readonly string[]) => [...path, ...pathAsGiven(request.nova, inner)]
  if (request.numInstances !== 1) issues.push(issue(at(['numInstances']), request.numInstances, `be 1: ${intent} is for one instance`))
  const [named] = request.instanceUuids
  const claim = fleet.ledger.claims.get(moveOf.id)
  if (named !== undefined && claim !== undefined && claim.instance !== named)
    issues.push(issue(at(['instanceUuids']), named, `be ${claim.instance ?? 'left out'}, the instance of the claim`))
  const { instanceGroup } = request
  // a request in Nova's form can contain the rule of a group without the uuid of the group; the claim then identifies the group
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

/**
 * Checks that the request of a move has the present rule of its server group. An operator might have changed the rule since the instance
 * was created.
 */
function checkKeptRule(
  { groups }: Fleet,
  { group: uuid }: Claim,
  { policy, maxServerPerHost }: NonNullable<RequestSpec['instanceGroup']>,
  at: (inner: readonly string[]) => readonly string[],
): Issue[] {
  const group = uuid === null ? undefined : groups.find(uuid)
  if (group === undefined) return []
  const keeps = 'a move keeps the rule of its group; serverGroupUpdate can change the rule'
  if (policy !== group.policy) return [issue(at(['instanceGroup', 'policy']), policy, `be ${group.policy}: ${keeps}`)]
  const most = group.maxServerPerHost ?? 1
  if (policy !== 'ANTI_AFFINITY' || maxServerPerHost === null || maxServerPerHost === most) return []
  return [issue(at(['instanceGroup', 'maxServerPerHost']), maxServerPerHost, `be ${most}, or be left out: ${keeps}`)]
}

/** If only a hint names a server group, checks that the group has members in this fleet. The rule of a group without members is unknown. */
function checkHintedGroup({ fleet, request, path }: Asked): Issue[] {
  const uuid = hintedGroup(request)
  if (uuid === undefined || fleet.groups.find(uuid) !== undefined) return []
  const rule =
    'be a server group that already has members, or be sent with group_policies and group_hosts, which setup_instance_group of Nova adds'
  return [issue([...path, 'filter_properties', 'scheduler_hints', 'group'], request.schedulerHints.group?.[0], rule)]
}

/**
 * Refuses a zone of the form ZONE:HOST:NODE, which users of Nova's API write. Nova splits the text before it calls its scheduler. This
 * service does not split the text, and would search for a zone with the whole text as its name. No host is in such a zone.
 */
function checkZone({ fleet, request, path }: Asked): Issue[] {
  const { availabilityZone: zone } = request
  const isThere = ({ metadata }: { readonly metadata: Readonly<Record<string, string>> }) => metadata.availability_zone === zone
  if (zone === null || !zone.includes(':') || [...fleet.aggregates.byUuid.values()].some(isThere)) return []
  const force = request.nova === null ? 'forceHosts and forceNodes' : 'force_hosts and force_nodes'
  const rule = `be a zone alone: hosts and nodes are named by ${force}`
  return [issue([...path, ...pathAsGiven(request.nova, ['availabilityZone'])], zone, rule)]
}

/**
 * Checks that a request with several kinds of instances is all-or-nothing, and is not decided under a profile with Nova's rules, because
 * Nova has no requests of this form.
 */
function checkGang({ profile, request: { gang }, profilePath }: Asked, allOrNothing: boolean): Issue[] {
  if (gang.length === 0) return []
  const issues: Issue[] = []
  if (!allOrNothing) issues.push(issue(['input', 'allOrNothing'], allOrNothing, 'be true: a gang is placed whole or not at all'))
  if (profile?.compat === 'nova')
    issues.push(
      issue(profilePath, profile.name, 'be a profile without compat: nova for a gang, because Nova supports one flavor per request'),
    )
  return issues
}

/** Checks the properties of an image under profiles with Nova's rules, because their filters read all properties. */
const checkImage = ({ profile, request, path }: Asked): Issue[] => (profile?.compat === 'nova' ? checkImageForNova(request, path) : [])

/**
 * Checks that the flavor of an instance that is created, probed, resized or rebuilt meets the image's requirements. A move without a resize
 * is not checked.
 */
const checkFlavor = ({ request, path }: Asked, intent: Intent): Issue[] =>
  MAKES_ANEW.includes(intent)
    ? tooSmallForImage(request).map(({ path: inner, found, rule }) => issue([...path, ...inner], found, rule, 'spec.invalid'))
    : []

const MAKES_ANEW: readonly Intent[] = ['CREATE', 'PROBE', 'RESIZE', 'REBUILD']

/** Errors of a call that do not depend on its request. `isRepeated` is true if an earlier call has used the idempotency key. */
export function checkCall(input: PlacementInput, isRepeated: boolean): Issue[] {
  const { intent, moveOf, idempotencyKey, ttlMs, ttlAt = TTL_AT, alternatesPerInstance, deadlineMs, profile } = input
  return [
    ...(isAboutClaim(intent) && moveOf === null
      ? [issue(['input', 'moveOf'], undefined, `be the claim that the intent ${intent} concerns, with its fence`)]
      : []),
    ...(!isAboutClaim(intent) && moveOf !== null
      ? [issue(['input', 'moveOf'], moveOf.id, `be left out, because the intent ${intent} does not concern a claim`)]
      : []),
    ...checkKey(['input', 'idempotencyKey'], idempotencyKey, { isKept: isRepeated, max: MAX_KEY_LENGTH }),
    ...checkTtl(ttlMs, ttlAt),
    ...checkRange(['input', 'alternatesPerInstance'], alternatesPerInstance, 0, MAX_ALTERNATES),
    ...checkDeadline(deadlineMs),
    ...(profile === null ? [] : checkName(['input', 'profile'], profile, { max: 80 })),
  ]
}

/** The path of the TTL in the input of most calls. */
export const TTL_AT: readonly string[] = ['claim', 'ttl']

/** Checks the TTL of a reservation. */
export const checkTtl = (ttlMs: number | null, at: readonly string[] = TTL_AT): Issue[] =>
  ttlMs === null ? [] : checkRange(['input', ...at], ttlMs, MIN_TTL_MS, MAX_TTL_MS, ' ms')

/** Checks that a call that exists to claim resources claims them. */
export const checkClaims = (mode: ClaimMode, at: readonly string[]): Issue[] =>
  mode === 'NONE' ? [issue(['input', ...at], mode, 'be RESERVE or CONFIRM: only selectDestinations can choose hosts without a claim')] : []

/** Checks that the deadline of a call is between 1 ms and one minute. */
export const checkDeadline = (deadlineMs: number | null): Issue[] =>
  deadlineMs === null ? [] : checkRange(['input', 'deadline'], deadlineMs, 1, MAX_DEADLINE_MS, ' ms')

/** True if a call with this intent concerns an existing claim. */
const isAboutClaim = (intent: Intent): boolean => isMove(intent) || intent === 'REBUILD'
