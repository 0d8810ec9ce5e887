import { graphql, type ResultOf } from '@gantt/client'
import { toTable } from '../../output/table.ts'
import { nameOf } from '../host/hosts.ts'

export const POLICIES = ['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'] as const

export type Policy = (typeof POLICIES)[number]

/** The GraphQL fields of a group's members. */
export const MEMBERS = graphql(`fragment Members on ServerGroupMembers { host { name node hasOtherNodes } count }`)

/** Members of a server group on one host. */
export type Members = ResultOf<typeof MEMBERS>

/** The GraphQL fields of a server group. */
export const GROUP = graphql(
  `fragment GroupParts on ServerGroup { uuid policy maxServerPerHost apartFrom version members { ...Members } }`,
  [MEMBERS],
)

export type Group = ResultOf<typeof GROUP>

/** The GraphQL fields of the hosts whose members conflict with a group's policy. */
export const CONFLICT = graphql(`fragment Conflict on ServerGroupConflict { ... on ServerGroupConflict { hosts { ...Members } } }`, [
  MEMBERS,
])

/** A table of hosts with their member counts. */
export const toMembersTable = (members: readonly Members[]): readonly string[] =>
  toTable(
    [
      { head: 'host', cut: 'middle', key: true },
      { head: 'members', align: 'right' },
    ],
    members.map(({ host, count }) => [nameOf(host), String(count)]),
  )

/** The policy of a group as text: "ANTI_AFFINITY, at most 2 on a host". */
export const ruleOf = ({ policy, maxServerPerHost }: Pick<Group, 'policy' | 'maxServerPerHost'>): string =>
  maxServerPerHost === null ? policy : `${policy}, at most ${maxServerPerHost} on a host`

export const memberCount = (members: readonly Members[]): number => members.reduce((sum, { count }) => sum + count, 0)
