import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT, notFound, REFUSAL, toRefusal } from '../../call/failure.ts'
import { DEFAULT_FIRST, readPages, tally } from '../../call/pages.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { GANTT } from '../../output/called.ts'
import { counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs, toTable, wrap } from '../../output/table.ts'
import { CONFLICT, GROUP, type Group, memberCount, POLICIES, type Policy, ruleOf, toMembersTable } from './rows.ts'

interface Flags extends ConnectionFlags {
  readonly first: number
  readonly all?: true
  readonly json?: true
}

interface UpdateFlags extends ConnectionFlags {
  readonly policy: Policy
  readonly maxPerHost?: number
  readonly dryRun?: true
  readonly json?: true
}

const GROUPS = graphql(
  `query Groups($first: Int!, $after: String) {
  serverGroups(first: $first, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { ...GroupParts } }
}`,
  [GROUP],
)

const ONE = graphql(`query Group($uuid: UUID!) { serverGroup(uuid: $uuid) { ...GroupParts } }`, [GROUP])

const UPDATE = graphql(
  `mutation UpdateGroup($uuid: UUID!, $version: Int!, $policy: GroupPolicy!, $max: Int, $dryRun: Boolean!) {
  serverGroupUpdate(uuid: $uuid, ifVersion: $version, policy: $policy, maxServerPerHost: $max, dryRun: $dryRun) {
    __typename
    ... on ServerGroupPayload { dryRun serverGroup { ...GroupParts } }
    ...Conflict
    ...Refusal
  }
}`,
  [GROUP, CONFLICT, REFUSAL],
)

/** `gantt groups list|show|update`: server groups, whose members must or must not share hosts. */
export function addGroups(program: Command): void {
  const groups = program.command('groups').description('list, show and change server groups: instances to keep together or apart')

  const list = groups
    .command('list')
    .description('list server groups that have members')
    .option('--first <n>', 'list at most this many rows', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'list all rows')
    .action((flags: Flags) => run(flags, () => listGroups(flags)))
  withExamples(withService(list), [['gantt groups list', 'list all server groups with their policies']])

  const show = groups
    .command('show')
    .description('show the policy of a server group, and the hosts of its members')
    .argument('<uuid>', 'uuid of the server group, as "gantt groups list" prints it')
    .action((uuid: string, flags: Flags) => run(flags, () => showGroup(uuid, flags)))
  withExamples(withService(show), [['gantt groups show 3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d001', 'show one server group']])

  const update = groups
    .command('update')
    .description('change the policy of a server group if its members comply with the new policy; exits with 1 if they do not')
    .argument('<uuid>', 'uuid of the server group, as "gantt groups list" prints it')
    .requiredOption('--policy <policy>', POLICIES.join(', '), oneOf(POLICIES))
    .option('--max-per-host <n>', 'with anti-affinity: maximum number of members on one host; 1 if not given', wholeNumber(1, 1_000))
    .option('--dry-run', 'change nothing; show which hosts would violate the new policy')
    .action((uuid: string, flags: UpdateFlags) => run(flags, () => updateGroup(uuid, flags)))
  withExamples(withService(update), [
    ['gantt groups update 3f0c1f0e-... --policy anti-affinity --dry-run', 'show which hosts conflict with a new policy'],
    ['gantt groups update 3f0c1f0e-... --policy anti-affinity --max-per-host 2', 'allow at most two members on a host'],
  ])
}

async function listGroups({ first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const { items: groups, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request(GROUPS, { first: size, after })
    return answer.serverGroups
  })
  const table = toTable(
    [
      { head: 'uuid' },
      { head: 'policy', cut: 'end', least: 8 },
      { head: 'max', align: 'right' },
      { head: 'members', align: 'right' },
      { head: 'hosts', align: 'right' },
    ],
    groups.map(({ uuid, policy, maxServerPerHost, members }) => [
      uuid,
      policy,
      String(maxServerPerHost ?? '-'),
      String(memberCount(members)),
      String(members.length),
    ]),
  )
  const apart = groups.flatMap(({ uuid, apartFrom }) =>
    apartFrom.length === 0 ? [] : wrap(`${uuid} shares no host with ${apartFrom.join(', ')}.`),
  )
  const lines =
    totalCount === 0 ? ['No server group has members.'] : [...table, '', ...apart, `${tally(groups.length, totalCount, 'server group')}.`]
  return { lines, json: { totalCount, groups } }
}

async function showGroup(uuid: string, flags: ConnectionFlags): Promise<Result> {
  const group = await readGroup(uuid, flags)
  const { members, version, apartFrom } = group
  return {
    lines: [
      ...toPairs([
        ['group', group.uuid],
        ['rule', ruleOf(group)],
        ...apartFrom.map((other): [string, string] => ['apart from', other]),
        ['version', String(version)],
        ['members', String(memberCount(members))],
      ]),
      ...(members.length === 0 ? [] : ['', ...toMembersTable(members)]),
    ],
    json: group,
  }
}

async function readGroup(uuid: string, flags: ConnectionFlags): Promise<Group> {
  const { serverGroup } = await connect(flags).request(ONE, { uuid })
  if (serverGroup === null) throw notFound(`no server group ${uuid} has members; "${GANTT} groups list" lists those that have`)
  return serverGroup
}

async function updateGroup(uuid: string, { policy, maxPerHost, dryRun, ...flags }: UpdateFlags): Promise<Result> {
  const before = await readGroup(uuid, flags)
  const variables = { uuid, version: before.version, policy, max: maxPerHost, dryRun: dryRun === true }
  const { serverGroupUpdate: answer } = await connect(flags).request(UPDATE, variables)
  if ('serverGroup' in answer) {
    const { serverGroup } = answer
    const what = answer.dryRun ? 'Nothing was changed. All members satisfy the new rule: ' : 'Changed: '
    return { lines: wrap(`${what}${ruleOf(serverGroup)} (it was ${ruleOf(before)}).`), json: answer }
  }
  if (answer.__typename !== 'ServerGroupConflict') throw toRefusal(answer)
  return {
    lines: [
      ...wrap(answer.message),
      '',
      ...toMembersTable(answer.hosts),
      '',
      `${counted(answer.hosts.length, 'host')} conflict${answer.hosts.length === 1 ? 's' : ''} with the new rule.`,
    ],
    json: answer,
    exitCode: EXIT.refused,
  }
}
