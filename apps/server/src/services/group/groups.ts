import {
  byCodeUnit,
  type Claim,
  type Fleet,
  type Group,
  type GroupBinding,
  type GroupPolicy,
  type HostIndex,
  membersKeep,
} from '@gantt/scheduler-core'
import { sortYielding } from '../../event-loop/lists.ts'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, type Invalid, invalid, issue, type NotFound, notFound, sentenceOf } from '../calls/outcome.ts'
import { listOf, type Page, type PageArgs, pageOf } from '../calls/paging.ts'
import { checkRange } from '../calls/text.ts'
import { type ClaimDone, type ClaimLost, type ClaimRef, lostClaim, MAX_CLAIMS_PER_CALL } from '../claim/claims.ts'
import { type HostView, viewHost } from '../host/host-view.ts'

const MAX_PER_HOST = 1_000

/** How many live members of a server group are on a host. */
export interface GroupMembers {
  readonly host: HostView
  readonly members: number
}

/** The new rule of a group. */
export interface GroupRule {
  readonly policy: GroupPolicy
  /** For ANTI_AFFINITY: the maximum count of members on one host; null: 1. */
  readonly maxServerPerHost: number | null
}

export interface GroupDone {
  readonly type: 'done'
  readonly group: Group
  readonly dryRun: boolean
  readonly revision: number
}

/**
 * The failure if members of a group would break the rule of the group. It lists the hosts of these members, with the count of members on
 * each host.
 */
export interface GroupConflict extends Failure {
  readonly type: 'group-conflict'
  readonly hosts: readonly GroupMembers[]
}

export interface GroupVersionConflict extends Failure {
  readonly type: 'group-version-conflict'
  readonly expected: number
  readonly actual: number
  readonly current: Group
}

export type GroupOutcome = GroupDone | GroupConflict | GroupVersionConflict | NotFound | Invalid
export type MembershipOutcome = ClaimDone | ClaimLost | GroupConflict | NotFound | Invalid

/** Server groups, with their rules and members. A group is created with its first claim, and operators can change its rule. */
export interface Groups {
  find(uuid: string): Group | undefined
  list(args: PageArgs): Promise<Page<Group>>
  membersOf(group: Group): GroupMembers[]
  /** Changes the rule of a group. If members break the new rule, nothing is changed and the failure lists their hosts. */
  update(uuid: string, ifVersion: number, rule: GroupRule, dryRun: boolean): Promise<GroupOutcome>
  /** Moves live claims into a group, or out of their groups if the group is null. Outcome i is the result for claim i. */
  setMembership(
    claims: readonly ClaimRef[],
    group: (GroupRule & { readonly uuid: string }) | null,
    dryRun: boolean,
  ): Promise<MembershipOutcome[]>
}

export function createGroups(replica: Replica): Groups {
  const find = (uuid: string): Group | undefined => replica.fleet.groups.find(uuid)
  const viewOf = (index: HostIndex): HostView => viewHost(replica.fleet, { index })
  const membersOf = ({ members }: Pick<Group, 'members'>): GroupMembers[] =>
    [...members].map(([index, count]) => ({ host: viewOf(index), members: count }))

  const judgeJoin = (claim: Claim, { uuid }: { readonly uuid: string }): GroupConflict | undefined => {
    const { groups } = replica.fleet
    const group = find(uuid)
    const apart = claim.group === uuid ? [] : groups.apartOf(uuid).filter(({ members }) => members.has(claim.host))
    if (apart.length > 0) return conflictApart(uuid, apart, viewOf(claim.host), claim.host)
    if (group === undefined || claim.group === uuid || groups.allows(uuid, claim.host)) return undefined
    return conflict(group, [{ host: viewOf(claim.host), members: group.members.get(claim.host) ?? 0 }])
  }

  return {
    find,
    list: async (args) =>
      pageOf(
        listOf('serverGroups'),
        args,
        await sortYielding([...replica.fleet.groups.byUuid.values()], (a, b) => byCodeUnit(a.uuid, b.uuid)),
        {
          types: ['string'],
          keyFor: ({ uuid }) => [uuid] as const,
          isAfter: ({ uuid }, [last]) => byCodeUnit(uuid, last) > 0,
        },
      ),
    membersOf,
    async update(uuid, ifVersion, given, dryRun) {
      const issues = checkRule(given, [])
      if (issues.length > 0) return invalid(issues)
      const rule = bindingOf(uuid, given)
      await replica.fresh()
      const group = find(uuid)
      if (group === undefined) return notFound('server group', uuid, ['uuid'])
      const { revision } = replica.fleet.place
      if (group.version !== ifVersion) return versionConflict(group, ifVersion)
      const breaking = breakingHosts(group, rule)
      if (dryRun)
        return breaking.length > 0
          ? conflict(
              { ...group, ...rule },
              breaking.map(([index, members]) => ({ host: viewOf(index), members })),
            )
          : { type: 'done', group: { ...group, ...rule }, dryRun, revision }
      const [verdict] = await replica.propose([{ type: 'group', expectedVersion: ifVersion, ...rule }])
      const changed = find(uuid)
      if (changed === undefined) return notFound('server group', uuid, ['uuid'])
      if (verdict?.void === 'group.version') return versionConflict(changed, ifVersion)
      if (verdict?.void !== undefined)
        return conflict(
          { ...changed, ...rule },
          breakingHosts(changed, rule).map(([index, members]) => ({ host: viewOf(index), members })),
        )
      return { type: 'done', group: changed, dryRun, revision: verdict?.revision ?? revision }
    },
    async setMembership(claims, given, dryRun) {
      const issues = given === null ? [] : checkRule(given, ['group'])
      if (claims.length > MAX_CLAIMS_PER_CALL) issues.push(issue(['claims'], claims, `be at most ${MAX_CLAIMS_PER_CALL} claims`))
      if (issues.length > 0) return claims.slice(0, MAX_CLAIMS_PER_CALL).map(() => invalid(issues))
      const group = given === null ? null : bindingOf(given.uuid, given)
      if (dryRun) await replica.fresh()
      const { fleet } = replica
      const verdicts = dryRun
        ? undefined
        : await replica.propose(claims.map(({ id, fence }) => ({ type: 'membership', claim: id, fence, group })))
      return claims.map(({ id, fence }, i): MembershipOutcome => {
        const path = ['claims', String(i)]
        const claim = fleet.ledger.claims.get(id)
        if (claim === undefined) return notFound('claim', id, path)
        const verdict = verdicts?.[i]
        const code = dryRun ? foreseen(fleet, claim, fence, group) : verdict?.void
        const revision = verdict?.revision ?? fleet.place.revision
        if (code === undefined) return { type: 'done', claims: [claim], replayed: !dryRun && claim.revision !== revision, revision }
        if (code === 'claim.group_mismatch' && group !== null) return invalid([mismatch(find(group.uuid), group)])
        if (code === 'group.conflict' && group !== null) return { ...(judgeJoin(claim, group) ?? conflict(group, [])), path }
        return code === 'claim.moving'
          ? { type: 'claim-lost', code: 'CLAIM_LOST', message: sentenceOf(code), path, claim }
          : lostClaim(claim, fence, path)
      })
    },
  }
}

/** Predicts whether a change of membership would be accepted now. Returns the code of the refusal, or undefined. */
function foreseen({ groups }: Fleet, claim: Claim, fence: number, group: GroupBinding | null) {
  if (claim.fence !== fence || claim.endedAt !== null) return 'claim.lost'
  if (claim.source !== null || claim.target !== null) return 'claim.moving'
  if (group === null || claim.group === group.uuid) return undefined
  if (!groups.accepts(group)) return 'claim.group_mismatch'
  return groups.allows(group.uuid, claim.host) ? undefined : 'group.conflict'
}

/** The failure if a change would put members of two groups on the same host although the groups must be kept apart. */
function conflictApart(uuid: string, apart: readonly Group[], host: HostView, index: HostIndex): GroupConflict {
  return {
    type: 'group-conflict',
    code: 'CONFLICT',
    message: `Server group ${uuid} is kept apart from ${apart.map((group) => group.uuid).join(', ')}, with members on that host; nothing was changed.`,
    path: null,
    hosts: apart.map(({ members }) => ({ host, members: members.get(index) ?? 0 })),
  }
}

const bindingOf = (uuid: string, { policy, maxServerPerHost }: GroupRule): GroupBinding => ({
  uuid,
  policy,
  maxServerPerHost: policy === 'ANTI_AFFINITY' ? (maxServerPerHost ?? 1) : null,
})

/** The hosts on which members of the group break a rule, with the count of members on each host. */
function breakingHosts({ members }: Group, rule: GroupRule): (readonly [HostIndex, number])[] {
  if (membersKeep({ ...rule, members })) return []
  return [...members].filter(([, count]) => rule.policy === 'AFFINITY' || count > (rule.maxServerPerHost ?? 1))
}

function checkRule({ policy, maxServerPerHost }: GroupRule, path: readonly string[]) {
  if (maxServerPerHost === null) return []
  if (policy !== 'ANTI_AFFINITY')
    return [issue([...path, 'maxServerPerHost'], maxServerPerHost, 'be left out, because only the policy ANTI_AFFINITY uses it')]
  return checkRange([...path, 'maxServerPerHost'], maxServerPerHost, 1, MAX_PER_HOST)
}

function conflict(
  { uuid, policy, maxServerPerHost }: Pick<Group, 'uuid' | 'policy' | 'maxServerPerHost'>,
  hosts: readonly GroupMembers[],
): GroupConflict {
  const rule = policy === 'ANTI_AFFINITY' ? `at most ${maxServerPerHost ?? 1} members on a host` : 'all members on one host'
  return {
    type: 'group-conflict',
    code: 'CONFLICT',
    message: `Members of server group ${uuid} would break its rule (${policy}: ${rule}); nothing was changed.`,
    path: null,
    hosts,
  }
}

const versionConflict = (group: Group, expected: number): GroupVersionConflict => ({
  type: 'group-version-conflict',
  code: 'CONFLICT',
  message: `The server group is at version ${group.version}, not ${expected}; read it again.`,
  path: ['ifVersion'],
  expected,
  actual: group.version,
  current: group,
})

function mismatch(group: Group | undefined, { policy, maxServerPerHost }: GroupBinding) {
  const isPolicy = group?.policy !== policy
  const found = isPolicy ? policy : maxServerPerHost
  return issue(
    ['group', isPolicy ? 'policy' : 'maxServerPerHost'],
    found,
    `be ${isPolicy ? group?.policy : group?.maxServerPerHost}, which is the value of the group`,
    'claim.group_mismatch',
  )
}
