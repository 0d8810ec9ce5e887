import { nameOf } from './hosts.ts'
import { toTable } from './table.ts'

export const POLICIES = ['AFFINITY', 'ANTI_AFFINITY', 'SOFT_AFFINITY', 'SOFT_ANTI_AFFINITY'] as const

export type Policy = (typeof POLICIES)[number]

/** Members of a server group on one host. */
export interface Members {
  readonly host: { readonly name: string; readonly node: string }
  readonly count: number
}

export interface Group {
  readonly uuid: string
  readonly policy: Policy
  readonly maxServerPerHost: number | null
  readonly apartFrom: readonly string[]
  readonly version: number
  readonly members: readonly Members[]
}

/** Selects Members. */
export const MEMBERS = 'host { name node hasOtherNodes } count'

/** Selects a Group. */
export const GROUP = `uuid policy maxServerPerHost apartFrom version members { ${MEMBERS} }`

/** Selects the hosts that stand against a rule. */
export const CONFLICT = `... on ServerGroupConflict { hosts { ${MEMBERS} } }`

/** Hosts with how many members each has. */
export const toMembersTable = (members: readonly Members[]): readonly string[] =>
  toTable(
    [
      { head: 'host', cut: 'middle', key: true },
      { head: 'members', align: 'right' },
    ],
    members.map(({ host, count }) => [nameOf(host), String(count)]),
  )

/** "ANTI_AFFINITY, at most 2 on a host". */
export const ruleOf = ({ policy, maxServerPerHost }: Pick<Group, 'policy' | 'maxServerPerHost'>): string =>
  maxServerPerHost === null ? policy : `${policy}, at most ${maxServerPerHost} on a host`

export const memberCount = (members: readonly Members[]): number => members.reduce((sum, { count }) => sum + count, 0)
