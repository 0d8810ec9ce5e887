import type { Command } from 'commander'
import { GANTT } from './called.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { EXIT, notThere, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { counted } from './format.ts'
import { CONFLICT, GROUP, type Group, type Members, memberCount, POLICIES, type Policy, ruleOf, toMembersTable } from './group-rows.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { DEFAULT_FIRST, PAGE_INFO, type Page, readPages, tally } from './pages.ts'
import { toPairs, toTable, wrap } from './table.ts'

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

const GROUPS = `query Groups($first: Int!, $after: String) {
  serverGroups(first: $first, after: $after) { ${PAGE_INFO} nodes { ${GROUP} } }
}`

const ONE = `query Group($uuid: UUID!) { serverGroup(uuid: $uuid) { ${GROUP} } }`

const UPDATE = `mutation UpdateGroup($uuid: UUID!, $version: Int!, $policy: GroupPolicy!, $max: Int, $dryRun: Boolean!) {
  serverGroupUpdate(uuid: $uuid, ifVersion: $version, policy: $policy, maxServerPerHost: $max, dryRun: $dryRun) {
    __typename
    ... on ServerGroupPayload { dryRun serverGroup { ${GROUP} } }
    ${CONFLICT}
    ${REFUSAL}
  }
}`

type Updated = { readonly __typename: 'ServerGroupPayload'; readonly dryRun: boolean; readonly serverGroup: Group }
type Conflict = Refusal & { readonly __typename: 'ServerGroupConflict'; readonly hosts: readonly Members[] }

/** `gantt groups list|show|update`: instances that want to be together, or apart. */
export function addGroups(program: Command): void {
  const groups = program.command('groups').description('server groups: instances that want to be together, or apart')

  const list = groups
    .command('list')
    .description('list server groups that have members')
    .option('--first <n>', 'at most so many', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'every one')
    .action((flags: Flags) => run(flags, () => listGroups(flags)))
  withExamples(withService(list), [['gantt groups list', 'all of them, with their rules']])

  const show = groups
    .command('show')
    .description('the rule of one group, and where its members are')
    .argument('<uuid>', 'its uuid, as list prints it')
    .action((uuid: string, flags: Flags) => run(flags, () => showGroup(uuid, flags)))
  withExamples(withService(show), [['gantt groups show 3f0c1f0e-6d0e-4f6e-9b43-0a3c61a1d001', 'one of them']])

  const update = groups
    .command('update')
    .description('change the rule of a group, if its members keep to the new one already; ends with 1 where they do not')
    .argument('<uuid>', 'its uuid, as list prints it')
    .requiredOption('--policy <policy>', POLICIES.join(', '), oneOf(POLICIES))
    .option('--max-per-host <n>', 'with anti-affinity: members that one host may hold; 1 if not given', wholeNumber(1, 1_000))
    .option('--dry-run', 'change nothing; tell which hosts stand against it')
    .action((uuid: string, flags: UpdateFlags) => run(flags, () => updateGroup(uuid, flags)))
  withExamples(withService(update), [
    ['gantt groups update 3f0c1f0e-... --policy anti-affinity --dry-run', 'would anybody stand against it?'],
    ['gantt groups update 3f0c1f0e-... --policy anti-affinity --max-per-host 2', 'at most two on a host from now on'],
  ])
}

async function listGroups({ first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const { items: groups, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request<{ serverGroups: Page<Group> }>(GROUPS, { first: size, after })
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
  const { serverGroup } = await connect(flags).request<{ serverGroup: Group | null }>(ONE, { uuid })
  if (serverGroup === null) throw notThere(`no server group ${uuid} has members; "${GANTT} groups list" lists those that have`)
  return serverGroup
}

async function updateGroup(uuid: string, { policy, maxPerHost, dryRun, ...flags }: UpdateFlags): Promise<Result> {
  const before = await readGroup(uuid, flags)
  const variables = { uuid, version: before.version, policy, max: maxPerHost, dryRun: dryRun === true }
  const { serverGroupUpdate: answer } = await connect(flags).request<{ serverGroupUpdate: Updated | Conflict | Refusal }>(UPDATE, variables)
  if ('serverGroup' in answer) {
    const { serverGroup } = answer
    const what = answer.dryRun ? 'Nothing was changed. All members keep to it: ' : 'Changed: '
    return { lines: wrap(`${what}${ruleOf(serverGroup)} (it was ${ruleOf(before)}).`), json: answer }
  }
  if (!('hosts' in answer)) throw toRefusal(answer)
  return {
    lines: [
      ...wrap(answer.message ?? answer.__typename),
      '',
      ...toMembersTable(answer.hosts),
      '',
      `${counted(answer.hosts.length, 'host')} stand${answer.hosts.length === 1 ? 's' : ''} against it.`,
    ],
    json: answer,
    exitCode: EXIT.refused,
  }
}
