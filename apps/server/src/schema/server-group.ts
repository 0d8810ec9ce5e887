import type { GroupMembers } from '../services/groups.ts'
import { builder } from './builder.ts'
import { connectionOf, pageArgs } from './connection.ts'
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
    policy: t.expose('policy', { type: GroupPolicy, description: 'As the first claim bound it.' }),
    maxServerPerHost: t.exposeInt('maxServerPerHost', {
      nullable: true,
      description: 'With ANTI_AFFINITY: members that one host may hold.',
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
