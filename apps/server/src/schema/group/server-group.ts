import type { GroupConflict, GroupDone, GroupMembers, GroupVersionConflict } from '../../services/group/groups.ts'
import { builder } from '../builder.ts'
import { ClaimLost, ClaimPayload, ClaimRef } from '../claim/claim.ts'
import { GroupPolicy } from '../placement/request-spec.ts'
import { connectionOf, pageArgs } from '../types/connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from '../types/errors.ts'
import { idOf } from '../types/ids.ts'
import { Host, ServerGroup } from '../types/refs.ts'

const ServerGroupMembers = builder.objectRef<GroupMembers>('ServerGroupMembers').implement({
  description: 'Members of a server group on one host.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'Host that holds the members.' }),
    count: t.exposeInt('members', { description: 'Number of live members on the host.' }),
  }),
})

builder.node(ServerGroup, {
  description: 'Instances that have to be placed together, or apart. Its first claim creates it; its members are live claims.',
  id: { resolve: ({ uuid }) => uuid, description: 'Global id of the object.' },
  loadOne: (uuid, { groups }) => groups.find(uuid),
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'UUID of the server group.' }),
    policy: t.expose('policy', { type: GroupPolicy, description: 'The policy that the first claim set, or that was set later.' }),
    version: t.exposeInt('version', { description: '1 when it is bound; every edit raises it. Name it with an edit.' }),
    maxServerPerHost: t.exposeInt('maxServerPerHost', {
      nullable: true,
      description: 'With ANTI_AFFINITY: the maximum number of members on one host.',
    }),
    apartFrom: t.field({
      type: ['UUID'],
      description: 'Groups that it is kept apart from, by claims of its members: no host has members of this group and of one of them.',
      resolve: ({ apartFrom }) => [...(apartFrom ?? [])],
    }),
    members: t.field({
      type: [ServerGroupMembers],
      description: 'The hosts of its members.',
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
    description: 'Null if nothing was claimed for it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the server group.' }) },
    resolve: (_root, { uuid }, { groups }) => groups.find(uuid),
  }),
  serverGroups: t.field({
    type: ServerGroupConnection,
    authScopes: { scope: 'READ' },
    description: 'All server groups, by uuid.',
    args: pageArgs(),
    resolve: (_root, args, { groups }) => groups.list(args),
  }),
}))

const ServerGroupPayload = builder.objectRef<GroupDone>('ServerGroupPayload').implement({
  description: 'The group has the requested policy, or the claims the requested group.',
  fields: (t) => ({
    serverGroup: t.expose('group', { type: ServerGroup, description: 'The present group, or the result of the dry run.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True if this was a dry run, so that nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Pass it as minRevision to read what was written.' }),
  }),
})

const ServerGroupConflict = builder.objectRef<GroupConflict>('ServerGroupConflict').implement({
  description: 'Members would violate the rule; nothing was changed.',
  interfaces: [UserError],
  fields: (t) => ({
    hosts: t.field({
      type: [ServerGroupMembers],
      description: 'The hosts with such members, and their number.',
      resolve: ({ hosts }) => [...hosts],
    }),
  }),
})

const ServerGroupVersionConflict = builder.objectRef<GroupVersionConflict>('ServerGroupVersionConflict').implement({
  description: 'The group was edited after it was read. Read the present version and edit that.',
  interfaces: [UserError],
  fields: (t) => ({
    expected: t.exposeInt('expected', { description: 'The version in the call.' }),
    actual: t.exposeInt('actual', { description: 'The present version.' }),
    current: t.expose('current', { type: ServerGroup, description: 'The present group.' }),
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
  description: 'A server group to join; its first member creates it.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'UUID of the server group.' }),
    policy: t.field({
      type: GroupPolicy,
      required: true,
      description: "The policy; it must be the group's policy if the group has members.",
    }),
    maxServerPerHost: t.int({ description: 'With ANTI_AFFINITY: the maximum number of members on one host; 1 by default.' }),
  }),
})

const dryRunText = 'True: returns the effect of the call and the members that violate it, and changes nothing.'

builder.mutationFields((t) => ({
  serverGroupUpdate: t.field({
    type: ServerGroupResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Changes the policy of a server group, if its members satisfy the new one already.',
    args: {
      uuid: t.arg({ type: 'UUID', required: true, description: 'UUID of the server group.' }),
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      policy: t.arg({ type: GroupPolicy, required: true, description: 'The new policy.' }),
      maxServerPerHost: t.arg.int({ description: 'With ANTI_AFFINITY: the maximum number of members on one host; 1 by default.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, policy, maxServerPerHost, dryRun }, { groups }) =>
      groups.update(uuid, ifVersion, { policy, maxServerPerHost: maxServerPerHost ?? null }, dryRun ?? false),
  }),
  claimSetServerGroup: t.field({
    type: [MembershipResult],
    authScopes: { scope: 'OPERATE' },
    description: 'Adds live claims to a server group if its policy allows it, or removes them from their group.',
    args: {
      claims: t.arg({ type: [ClaimRef], required: true, description: '1 to 1000 claims; answer i is for claim i.' }),
      group: t.arg({ type: ServerGroupRefInput, description: 'The group; absent: none.' }),
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
