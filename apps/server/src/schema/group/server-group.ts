import type { GroupConflict, GroupDone, GroupMembers, GroupVersionConflict } from '../../services/group/groups.ts'
import { builder } from '../builder.ts'
import { ClaimLost, ClaimPayload, ClaimRef } from '../claim/claim.ts'
import { GroupPolicy } from '../placement/request-spec.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { idOf } from '../types/ids.ts'
import { Host, ServerGroup } from '../types/refs.ts'

const ServerGroupMembers = builder.objectRef<GroupMembers>('ServerGroupMembers').implement({
  description: 'How many members of a server group are on one host.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'Host that holds the members.' }),
    count: t.exposeInt('members', { description: 'How many live members are on the host.' }),
  }),
})

builder.node(ServerGroup, {
  description:
    'Instances that must be placed together or apart. The first claim in a group creates the group. The members of a group are live claims.',
  id: { resolve: ({ uuid }) => uuid, description: 'Global id of the object.' },
  loadOne: (uuid, { groups }) => groups.find(uuid),
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'UUID of the server group.' }),
    policy: t.expose('policy', { type: GroupPolicy, description: "The policy, as set by the group's first claim or by a later edit." }),
    version: t.exposeInt('version', {
      description: 'The version of the group: 1 when it is created, increased by every edit. Pass it as `ifVersion`.',
    }),
    maxServerPerHost: t.exposeInt('maxServerPerHost', {
      nullable: true,
      description: 'With ANTI_AFFINITY: at most this many members on one host.',
    }),
    apartFrom: t.field({
      type: ['UUID'],
      description:
        'UUIDs of the groups from which claims of this group are kept apart. A host cannot have members of this group together with members of a listed group.',
      resolve: ({ apartFrom }) => [...(apartFrom ?? [])],
    }),
    members: t.field({
      type: [ServerGroupMembers],
      description: 'The hosts with members of the group.',
      resolve: (group, _args, { groups }) => groups.membersOf(group),
    }),
  }),
})

const ServerGroupConnection = connectionOf('ServerGroup', ServerGroup)

builder.queryFields((t) => ({
  serverGroup: t.field({
    type: ServerGroup,
    nullable: true,
    authScopes: { scope: 'READ' },
    description: 'A server group; null if no claim was ever made in it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the server group.' }) },
    resolve: (_root, { uuid }, { groups }) => groups.find(uuid),
  }),
  serverGroups: t.field({
    type: ServerGroupConnection,
    authScopes: { scope: 'READ' },
    description: 'All server groups, sorted by UUID.',
    args: pageArgs(),
    resolve: (_root, args, { groups }) => groups.list(args),
  }),
}))

const ServerGroupPayload = builder.objectRef<GroupDone>('ServerGroupPayload').implement({
  description: 'The server group has the requested policy, or the claims are in the requested server group.',
  fields: (t) => ({
    serverGroup: t.expose('group', {
      type: ServerGroup,
      description: 'The server group after the change; for a dry run, the group as it would be.',
    }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: "The change's revision. Pass it as minRevision to later calls." }),
  }),
})

const ServerGroupConflict = builder.objectRef<GroupConflict>('ServerGroupConflict').implement({
  description: 'Members of the server group would violate its policy. Nothing was changed.',
  interfaces: [UserError],
  fields: (t) => ({
    hosts: t.field({
      type: [ServerGroupMembers],
      description: 'The hosts with members that would violate the policy.',
      resolve: ({ hosts }) => [...hosts],
    }),
  }),
})

const ServerGroupVersionConflict = builder.objectRef<GroupVersionConflict>('ServerGroupVersionConflict').implement({
  description: 'The server group was edited after the caller read it. Read the present version and repeat the edit with it.',
  interfaces: [UserError],
  fields: (t) => ({
    expected: t.exposeInt('expected', { description: 'The version of the server group that the caller sent.' }),
    actual: t.exposeInt('actual', { description: 'The present version of the group.' }),
    current: t.expose('current', { type: ServerGroup, description: 'The present server group.' }),
  }),
})

const ServerGroupResult = resultUnion(
  'ServerGroupResult',
  'Outcomes of server group edits.',
  [ServerGroupPayload, ServerGroupConflict, ServerGroupVersionConflict, NotFound, ValidationError],
  { done: 'ServerGroupPayload', 'group-conflict': 'ServerGroupConflict', 'group-version-conflict': 'ServerGroupVersionConflict' },
)

const MembershipResult = resultUnion(
  'MembershipResult',
  'Outcomes of membership changes.',
  [ClaimPayload, ClaimLost, ServerGroupConflict, NotFound, ValidationError],
  { done: 'ClaimPayload', 'group-conflict': 'ServerGroupConflict' },
)

const ServerGroupRefInput = builder.inputType('ServerGroupRefInput', {
  description: 'A server group to join. If the group does not exist, its first member creates it.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'UUID of the server group.' }),
    policy: t.field({
      type: GroupPolicy,
      required: true,
      description: "The policy. If the group has members, this must be the group's policy.",
    }),
    maxServerPerHost: t.int({ description: 'With ANTI_AFFINITY: at most this many members on one host; 1 by default.' }),
  }),
})

const dryRunText = 'True: the call returns its effect, or the members that would violate the policy, and changes nothing.'

builder.mutationFields((t) => ({
  serverGroupUpdate: t.field({
    type: ServerGroupResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Changes the policy of a server group, if its present members satisfy the new policy.',
    args: {
      uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the server group.' }),
      ifVersion: t.arg.int({
        required: true,
        description: 'The version that the caller read. The call is refused if the present version differs.',
      }),
      policy: t.arg({ type: GroupPolicy, required: true, description: 'The new policy.' }),
      maxServerPerHost: t.arg.int({ description: 'With ANTI_AFFINITY: at most this many members on one host; 1 by default.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, policy, maxServerPerHost, dryRun }, { groups }) =>
      groups.update(uuid, ifVersion, { policy, maxServerPerHost: maxServerPerHost ?? null }, dryRun ?? false),
  }),
  claimSetServerGroup: t.field({
    type: [MembershipResult],
    authScopes: { scope: 'OPERATE' },
    description: "Adds live claims to a server group if the group's policy allows it, or removes them from their server group.",
    args: {
      claims: t.arg({ type: [ClaimRef], required: true, description: '1 to 1000 claims. The answers have the same order as the claims.' }),
      group: t.arg({ type: ServerGroupRefInput, description: 'The server group to join; if absent, the claims leave their server group.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { claims, group, dryRun }, { groups }) =>
      groups.setMembership(
        claims.map(({ id, fence }, i) => ({ id: idOf('Claim', id, ['claims', String(i), 'id']), fence })),
        group ? { ...group, maxServerPerHost: group.maxServerPerHost ?? null } : null,
        dryRun ?? false,
      ),
  }),
}))
