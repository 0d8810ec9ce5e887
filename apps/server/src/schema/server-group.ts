import type { GroupConflict, GroupDone, GroupMembers, GroupVersionConflict } from '../services/groups.ts'
import { builder } from './builder.ts'
import { ClaimLost, ClaimPayload, ClaimRef } from './claim.ts'
import { connectionOf, pageArgs } from './connection.ts'
import { NotFound, resultUnion, UserError, ValidationError } from './errors.ts'
import { idOf } from './ids.ts'
import { Host, ServerGroup } from './refs.ts'
import { GroupPolicy } from './request-spec.ts'

const ServerGroupMembers = builder.objectRef<GroupMembers>('ServerGroupMembers').implement({
  description: 'Members of a server group on one host.',
  fields: (t) => ({
    host: t.expose('host', { type: Host, description: 'Where.' }),
    count: t.exposeInt('members', { description: 'Live members there.' }),
  }),
})

builder.node(ServerGroup, {
  description: 'Instances that want to be together, or apart. Bound by its first claim; its members are live claims.',
  id: { resolve: ({ uuid }) => uuid, description: 'Global id.' },
  loadOne: (uuid, { groups }) => groups.find(uuid),
  fields: (t) => ({
    uuid: t.expose('uuid', { type: 'UUID', description: 'Its identity.' }),
    policy: t.expose('policy', { type: GroupPolicy, description: 'As the first claim bound it, or as it was changed since.' }),
    version: t.exposeInt('version', { description: '1 when it is bound; every edit raises it. Name it with an edit.' }),
    maxServerPerHost: t.exposeInt('maxServerPerHost', {
      nullable: true,
      description: 'With ANTI_AFFINITY: members that one host may hold.',
    }),
    apartFrom: t.field({
      type: ['UUID'],
      description:
        'Groups that it is kept apart from, as claims of its members named them: no host holds members of one of them and of this one.',
      resolve: ({ apartFrom }) => [...(apartFrom ?? [])],
    }),
    members: t.field({
      type: [ServerGroupMembers],
      description: 'Where its members are.',
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
    description: 'Null when nothing was claimed for it.',
    args: { uuid: t.arg({ type: 'UUID', required: true, description: 'Its identity.' }) },
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
  description: 'It is as asked.',
  fields: (t) => ({
    serverGroup: t.expose('group', { type: ServerGroup, description: 'As it is now, or would be.' }),
    dryRun: t.exposeBoolean('dryRun', { description: 'True when nothing was changed.' }),
    fleetRevision: t.expose('revision', { type: 'Revision', description: 'Give it as minRevision to read what was written.' }),
  }),
})

const ServerGroupConflict = builder.objectRef<GroupConflict>('ServerGroupConflict').implement({
  description: 'Members would break the rule; nothing was changed.',
  interfaces: [UserError],
  fields: (t) => ({
    hosts: t.field({
      type: [ServerGroupMembers],
      description: 'Where, and how many members live there.',
      resolve: ({ hosts }) => [...hosts],
    }),
  }),
})

const ServerGroupVersionConflict = builder.objectRef<GroupVersionConflict>('ServerGroupVersionConflict').implement({
  description: 'It was edited since it was read. Look at the current one and edit that.',
  interfaces: [UserError],
  fields: (t) => ({
    expected: t.exposeInt('expected', { description: 'The version that the call names.' }),
    actual: t.exposeInt('actual', { description: 'The version that it has.' }),
    current: t.expose('current', { type: ServerGroup, description: 'As it is now.' }),
  }),
})

const ServerGroupResult = resultUnion(
  'ServerGroupResult',
  'Ends of edits of server groups.',
  [ServerGroupPayload, ServerGroupConflict, ServerGroupVersionConflict, NotFound, ValidationError],
  { done: 'ServerGroupPayload', 'group-conflict': 'ServerGroupConflict', 'group-version-conflict': 'ServerGroupVersionConflict' },
)

const MembershipResult = resultUnion(
  'MembershipResult',
  'Ends of changes of membership.',
  [ClaimPayload, ClaimLost, ServerGroupConflict, NotFound, ValidationError],
  { done: 'ClaimPayload', 'group-conflict': 'ServerGroupConflict' },
)

const ServerGroupRefInput = builder.inputType('ServerGroupRefInput', {
  description: 'A server group to join; it is bound by its first member.',
  fields: (t) => ({
    uuid: t.field({ type: 'UUID', required: true, description: 'Its identity.' }),
    policy: t.field({ type: GroupPolicy, required: true, description: 'Its policy; one that has members must have this one.' }),
    maxServerPerHost: t.int({ description: 'With ANTI_AFFINITY: members that one host may hold; 1 if not given.' }),
  }),
})

const dryRunText = 'True: only tell what it would do, and who stands against it.'

builder.mutationFields((t) => ({
  serverGroupUpdate: t.field({
    type: ServerGroupResult,
    authScopes: { scope: 'OPERATE' },
    description: 'Changes the rule of a server group, if its members keep to the new one already.',
    args: {
      uuid: t.arg({ type: 'UUID', required: true, description: 'Which.' }),
      ifVersion: t.arg.int({ required: true, description: 'The version that was read.' }),
      policy: t.arg({ type: GroupPolicy, required: true, description: 'The new policy.' }),
      maxServerPerHost: t.arg.int({ description: 'With ANTI_AFFINITY: members that one host may hold; 1 if not given.' }),
      dryRun: t.arg.boolean({ defaultValue: false, description: dryRunText }),
    },
    resolve: (_root, { uuid, ifVersion, policy, maxServerPerHost, dryRun }, { groups }) =>
      groups.update(uuid, ifVersion, { policy, maxServerPerHost: maxServerPerHost ?? null }, dryRun ?? false),
  }),
  claimSetServerGroup: t.field({
    type: [MembershipResult],
    authScopes: { scope: 'OPERATE' },
    description: 'Puts live claims into a server group where its rule allows it, or out of theirs.',
    args: {
      claims: t.arg({ type: [ClaimRef], required: true, description: '1 to 1000 claims; answer i is for claim i.' }),
      group: t.arg({ type: ServerGroupRefInput, description: 'Which; left out: none.' }),
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
