import { type Command, Option } from 'commander'
import { type ClaimRef, readRefs } from './claim-edits.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { counted } from './format.ts'
import { CONFLICT, type Members, POLICIES, type Policy } from './group-rows.ts'
import { nameOf, notEmpty } from './hosts.ts'
import { shortId } from './ids.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toTable } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly group?: string
  readonly policy?: Policy
  readonly maxPerHost?: number
  readonly none?: true
  readonly dryRun?: true
  readonly json?: true
}

const SET = `mutation SetGroup($claims: [ClaimRef!]!, $group: ServerGroupRefInput, $dryRun: Boolean!) {
  results: claimSetServerGroup(claims: $claims, group: $group, dryRun: $dryRun) {
    __typename
    ... on ClaimPayload { claim { id serverGroup } }
    ${CONFLICT}
    ${REFUSAL}
  }
}`

type Ended = Refusal & { readonly hosts?: readonly Members[] }

/** `gantt claims set-group`: which server group claims are in. */
export function addMembership(claims: Command): void {
  const set = claims
    .command('set-group')
    .description('put claims into a server group where its rule allows it, or out of theirs; ends with 1 where one cannot')
    .argument('<claim...>', 'ids, as select and claims print them')
    .option('--group <uuid>', 'the group; its first member binds its rule', notEmpty)
    .option('--policy <policy>', `of the group: ${POLICIES.join(', ')}`, oneOf(POLICIES))
    .option('--max-per-host <n>', 'with anti-affinity: members that one host may hold; 1 if not given', wholeNumber(1, 1_000))
    .addOption(new Option('--none', 'out of their groups').conflicts(['group', 'policy', 'maxPerHost']))
    .option('--dry-run', 'change nothing; tell who stands against it')
    .action((ids: readonly string[], _flags: Flags, command: Command) => {
      const flags = command.optsWithGlobals<Flags>()
      return run(flags, () => setGroup(ids, flags))
    })
  withExamples(withService(set), [
    ['gantt claims set-group 7d0e... 1b9c... --group 3f0c... --policy anti-affinity', 'never together again'],
    ['gantt claims set-group 7d0e... --none', 'on its own from now on'],
  ])
}

async function setGroup(ids: readonly string[], { group: uuid, policy, maxPerHost, none, dryRun, ...flags }: Flags): Promise<Result> {
  if (!none && (uuid === undefined || policy === undefined))
    throw new CommandFailure(EXIT.usage, 'which group? Give --group and --policy, or --none')
  const client = connect(flags)
  const claims: readonly ClaimRef[] = await readRefs(client, ids)
  const group = none ? null : { uuid, policy, ...(maxPerHost === undefined ? {} : { maxServerPerHost: maxPerHost }) }
  const { results } = await client.request<{ results: readonly Ended[] }>(SET, { claims, group, dryRun: dryRun === true })
  const done = results.filter(({ __typename }) => __typename === 'ClaimPayload').length
  const table = toTable(
    [{ head: 'claim' }, { head: 'outcome', wraps: true, least: 30 }],
    results.map((result, at) => [shortId(claims[at]?.id ?? ''), outcomeOf(result, dryRun === true)]),
  )
  const what = dryRun ? 'Nothing was changed. It would change' : 'Changed'
  return {
    lines: [...table, '', `${what} ${counted(done, 'claim')} of ${results.length}.`],
    json: { dryRun: dryRun === true, results },
    exitCode: done === results.length ? EXIT.done : EXIT.refused,
  }
}

function outcomeOf(result: Ended, isDryRun: boolean): string {
  if (result.__typename === 'ClaimPayload') return isDryRun ? 'allowed' : 'done'
  const { hosts = [] } = result
  const where = hosts.map(({ host, count }) => `${nameOf(host)} has ${counted(count, 'member')}`).join(', ')
  return [toRefusal(result).message, ...(where === '' ? [] : [`${where}.`])].join(' ')
}
