import { graphql, type ResultOf } from '@gantt/client'
import { type Command, Option } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { CommandFailure, EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { counted } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable } from '../../output/table.ts'
import { CONFLICT, POLICIES, type Policy } from '../group/rows.ts'
import { nameOf, notEmpty } from '../host/hosts.ts'
import { type ClaimRef, readRefs } from './edits.ts'

interface Flags extends ConnectionFlags {
  readonly group?: string
  readonly policy?: Policy
  readonly maxPerHost?: number
  readonly none?: true
  readonly dryRun?: true
  readonly json?: true
}

const SET = graphql(
  `mutation SetGroup($claims: [ClaimRef!]!, $group: ServerGroupRefInput, $dryRun: Boolean!) {
  results: claimSetServerGroup(claims: $claims, group: $group, dryRun: $dryRun) {
    __typename
    ... on ClaimPayload { claim { id serverGroup } }
    ...Conflict
    ...Refusal
  }
}`,
  [CONFLICT, REFUSAL],
)

type Ended = ResultOf<typeof SET>['results'][number]

/** `gantt claims set-group`: puts claims into a server group or takes them out. */
export function addMembership(claims: Command): void {
  const set = claims
    .command('set-group')
    .description(
      'add claims to a server group if its policy allows this, or remove them from their groups; exits with 1 if a claim is refused',
    )
    .argument('<claim...>', 'ids of the claims, as "gantt select" and "gantt claims" print them')
    .option('--group <uuid>', 'uuid of the server group, which is created if it does not exist; requires --policy', notEmpty)
    .option('--policy <policy>', `policy of the server group: ${POLICIES.join(', ')}`, oneOf(POLICIES))
    .option('--max-per-host <n>', 'with anti-affinity: maximum number of members on one host; 1 if not given', wholeNumber(1, 1_000))
    .addOption(new Option('--none', 'remove the claims from their server groups').conflicts(['group', 'policy', 'maxPerHost']))
    .option('--dry-run', 'change nothing; show which hosts would violate the policy')
    .action((ids: readonly string[], _flags: Flags, command: Command) => {
      const flags = command.optsWithGlobals<Flags>()
      return run(flags, () => setGroup(ids, flags))
    })
  withExamples(withService(set), [
    ['gantt claims set-group 7d0e... 1b9c... --group 3f0c... --policy anti-affinity', 'put two instances into a group that separates them'],
    ['gantt claims set-group 7d0e... --none', 'take an instance out of its group'],
  ])
}

async function setGroup(ids: readonly string[], { group: uuid, policy, maxPerHost, none, dryRun, ...flags }: Flags): Promise<Result> {
  const group =
    none || uuid === undefined || policy === undefined
      ? null
      : { uuid, policy, ...(maxPerHost !== undefined && { maxServerPerHost: maxPerHost }) }
  if (!none && group === null) throw new CommandFailure(EXIT.usage, 'the group is missing: give --group and --policy, or --none')
  const client = connect(flags)
  const claims: readonly ClaimRef[] = await readRefs(client, ids)
  const { results } = await client.request(SET, { claims, group, dryRun: dryRun === true })
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
  const hosts = result.__typename === 'ServerGroupConflict' ? result.hosts : []
  const where = hosts.map(({ host, count }) => `${nameOf(host)} has ${counted(count, 'member')}`).join(', ')
  return [toRefusal(result).message, ...(where === '' ? [] : [`${where}.`])].join(' ')
}
