import { graphql, type ResultOf } from '@gantt/client'
import { decisionFields } from '@gantt/scheduler-core/query'
import type { Command } from 'commander'
import { type ConnectionFlags, connect, readProject } from '../../call/connection.ts'
import { CommandFailure, EXIT } from '../../call/failure.ts'
import { readPages, tally } from '../../call/pages.ts'
import { toHostName } from '../../options/host-name.ts'
import { fieldsHelp, queryOf } from '../../options/query.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { age, mib } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { nameOf, notEmpty } from '../host/hosts.ts'

const OUTCOMES = ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'] as const

interface Flags extends ConnectionFlags {
  readonly outcome?: (typeof OUTCOMES)[number]
  readonly host?: string
  readonly query?: string
  readonly first: number
  readonly json?: true
}

// `attempt` and `durationMs` are only in the JSON output: the table has no space for them.
const DECISIONS = graphql(`query Decisions($first: Int!, $after: String, $filter: DecisionFilter, $query: String) {
  decisions(first: $first, after: $after, filter: $filter, query: $query) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { id at outcome attempt durationMs account spec { vcpus memoryMb numInstances } destinations { selected { host { name node hasOtherNodes } } } }
    unreadable { id at outcome account code message }
  }
}`)

const DECISIONS_OF_PROJECT = graphql(`query DecisionsOfProject($first: Int!, $after: String, $filter: DecisionFilter, $query: String) {
  decisions(first: $first, after: $after, filter: $filter, query: $query) {
    totalCount pageInfo { hasNextPage endCursor }
    nodes { id at outcome account tenantExplanation { instanceCount placedCount } }
  }
}`)

type DecisionRow = ResultOf<typeof DECISIONS>['decisions']['nodes'][number]
/** A decision with the fields that a key bound to a project may read. */
type ProjectDecisionRow = ResultOf<typeof DECISIONS_OF_PROJECT>['decisions']['nodes'][number]
/** A decision whose record is damaged, or written by a newer release. */
type UnreadableRow = ResultOf<typeof DECISIONS>['decisions']['unreadable'][number]

/** `gantt decisions`: the list of decisions, newest first. */
export function addDecisions(program: Command): void {
  const command = program
    .command('decisions')
    .description('list decisions, newest first')
    .option('--outcome <outcome>', `only decisions with this outcome: ${OUTCOMES.join(', ')}`, oneOf(OUTCOMES))
    .option('--host <name>', 'only decisions that chose this host, or one of its nodes', notEmpty)
    .option('--query <terms>', `list only rows that match these terms; ${fieldsHelp(decisionFields)}`, queryOf(decisionFields))
    .option('--first <n>', 'list at most this many rows', wholeNumber(1, 100_000), 20)
    .action((flags: Flags) => run(flags, () => listDecisions(flags)))
  withExamples(withService(command), [
    ['gantt decisions --outcome NO_VALID_HOST', 'list requests for which no host was found'],
    ["gantt decisions --query 'reason:memory.* last:1h'", 'list requests of the last hour that failed because of memory'],
    ["gantt decisions --query 'at>=2026-11-22T09:00:00Z at<2026-11-22T10:00:00Z'", 'list the decisions of one hour, in UTC'],
  ])
}

async function listDecisions({ outcome, host, query, first, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const project = await readProject(client)
  if (project !== null && (host !== undefined || query !== undefined))
    throw new CommandFailure(EXIT.usage, `--host and --query search by hosts too, and the key is bound to project ${project}`)
  const filter = {
    ...(outcome === undefined ? {} : { outcome: [outcome] }),
    ...(host === undefined ? {} : { host: { eq: toHostName(host).host } }),
  }
  const variables = { filter, query }
  const nowMs = Date.now()
  if (project !== null) {
    const { items, totalCount } = await readPages(first, async (size, after) => {
      const answer = await client.request(DECISIONS_OF_PROJECT, { first: size, after, ...variables })
      return answer.decisions
    })
    const table = toTable(COLUMNS_OF_PROJECT, items.map(ofProject(nowMs)))
    return { lines: toLines(table, items.length, totalCount), json: { totalCount, decisions: items } }
  }
  const unreadable: UnreadableRow[] = []
  const { items, totalCount } = await readPages(first, async (size, after) => {
    const answer = await client.request(DECISIONS, { first: size, after, ...variables })
    unreadable.push(...answer.decisions.unreadable)
    return answer.decisions
  })
  const left = unreadable.flatMap(({ id, message }) => wrap(`${shortId(id)} cannot be read and is omitted: ${message}.`))
  const table = toTable(COLUMNS, items.map(ofOperator(nowMs)))
  return {
    lines: toLines(table, items.length + unreadable.length, totalCount, left),
    json: { totalCount, decisions: items, unreadable },
  }
}

const toLines = (table: readonly string[], shown: number, totalCount: number, notes: readonly string[] = []): readonly string[] =>
  totalCount === 0 ? ['No matching decisions.'] : [...table, '', ...notes, `${tally(shown, totalCount, 'decision', '--first')}.`]

const ofOperator =
  (nowMs: number) =>
  ({ id, at, outcome, spec, destinations }: DecisionRow): readonly string[] => [
    shortId(id),
    age(at, nowMs),
    outcome,
    `${spec.numInstances}x ${spec.vcpus}/${mib(spec.memoryMb).replace(' ', '')}`,
    [...new Set(destinations.map(({ selected }) => nameOf(selected.host)))].join(',') || '-',
  ]

const ofProject =
  (nowMs: number) =>
  ({ id, at, outcome, account, tenantExplanation: { instanceCount, placedCount } }: ProjectDecisionRow): readonly string[] => [
    shortId(id),
    age(at, nowMs),
    outcome,
    `${placedCount} of ${instanceCount}`,
    account,
  ]

const COLUMNS = [
  { head: 'decision' },
  { head: 'age', align: 'right' },
  { head: 'outcome' },
  { head: 'requested', cut: 'end', least: 14 },
  { head: 'hosts', cut: 'end', least: 5 },
] as const

const COLUMNS_OF_PROJECT = [
  { head: 'decision' },
  { head: 'age', align: 'right' },
  { head: 'outcome' },
  { head: 'found', align: 'right' },
  { head: 'account', cut: 'end', least: 5 },
] as const
