import { decisionFields } from '@gantt/scheduler-core/query'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT } from './failure.ts'
import { age, mib } from './format.ts'
import { toHostName } from './host-name.ts'
import { nameOf, notEmpty, type PrintedHost } from './hosts.ts'
import { shortId } from './ids.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { type Items, PAGE_INFO, type Page, readPages, tally } from './pages.ts'
import { fieldsHelp, queryOf } from './query.ts'
import { toTable, wrap } from './table.ts'

const OUTCOMES = ['PLACED', 'PARTIAL', 'NO_VALID_HOST', 'REJECTED', 'SIMULATED'] as const

interface Flags extends ConnectionFlags {
  readonly outcome?: (typeof OUTCOMES)[number]
  readonly host?: string
  readonly query?: string
  readonly first: number
  readonly json?: true
}

interface DecisionRow {
  readonly id: string
  readonly at: string
  readonly outcome: string
  readonly spec: { readonly vcpus: number; readonly memoryMb: number; readonly numInstances: number }
  readonly destinations: readonly { readonly selected: { readonly host: PrintedHost } }[]
}

// a line has no room for all: attempt and durationMs are told with --json
const DECISIONS = `query Decisions($first: Int!, $after: String, $filter: DecisionFilter, $query: String) {
  decisions(first: $first, after: $after, filter: $filter, query: $query) {
    ${PAGE_INFO}
    nodes { id at outcome attempt durationMs account spec { vcpus memoryMb numInstances } destinations { selected { host { name node hasOtherNodes } } } }
    unreadable { id at outcome account code message }
  }
}`

/** One whose record is damaged, or of a newer release. */
interface UnreadableRow {
  readonly id: string
  readonly at: string
  readonly outcome: string | null
  readonly message: string
}

/** As a project may know it. */
interface ProjectDecisionRow {
  readonly id: string
  readonly at: string
  readonly outcome: string
  readonly account: string
  readonly tenantExplanation: { readonly instanceCount: number; readonly placedCount: number }
}

const DECISIONS_OF_PROJECT = `query DecisionsOfProject($first: Int!, $after: String, $filter: DecisionFilter, $query: String) {
  decisions(first: $first, after: $after, filter: $filter, query: $query) {
    ${PAGE_INFO}
    nodes { id at outcome account tenantExplanation { instanceCount placedCount } }
  }
}`

/** `gantt decisions`: what was decided, newest first. */
export function addDecisions(program: Command): void {
  const command = program
    .command('decisions')
    .description('list decisions, newest first')
    .option('--outcome <outcome>', `only with this end: ${OUTCOMES.join(', ')}`, oneOf(OUTCOMES))
    .option('--host <name>', 'only those that chose this host, or a node of it', notEmpty)
    .option('--query <terms>', `only those of which these terms hold; ${fieldsHelp(decisionFields)}`, queryOf(decisionFields))
    .option('--first <n>', 'at most so many', wholeNumber(1, 100_000), 20)
    .action((flags: Flags) => run(flags, () => listDecisions(flags)))
  withExamples(withService(command), [
    ['gantt decisions --outcome NO_VALID_HOST', 'requests that no host could take'],
    ["gantt decisions --query 'reason:memory.* last:1h'", 'what failed for memory in the last hour'],
    ["gantt decisions --query 'at>=2026-11-22T09:00:00Z at<2026-11-22T10:00:00Z'", 'of one hour of one day, UTC'],
  ])
}

async function listDecisions({ outcome, host, query, first, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const { viewer } = await client.request<{ viewer: { readonly project: string | null } }>('{ viewer { project } }')
  const isToProject = viewer.project !== null
  if (isToProject && (host !== undefined || query !== undefined))
    throw new CommandFailure(EXIT.usage, `--host and --query search by hosts too, and the key is bound to project ${viewer.project}`)
  const filter = {
    ...(outcome === undefined ? {} : { outcome: [outcome] }),
    ...(host === undefined ? {} : { host: { eq: toHostName(host).host } }),
  }
  const unreadable: UnreadableRow[] = []
  const readRows = <Row>(document: string) =>
    readPages(first, async (size, after) => {
      const answer = await client.request<{ decisions: Page<Row> & { readonly unreadable?: readonly UnreadableRow[] } }>(document, {
        first: size,
        after,
        filter,
        query,
      })
      unreadable.push(...(answer.decisions.unreadable ?? []))
      return answer.decisions
    })
  const nowMs = Date.now()
  const toResult = <Row>({ items: decisions, totalCount }: Items<Row>, toLines: (rows: readonly Row[]) => readonly string[]): Result => ({
    lines:
      totalCount === 0
        ? ['No decision is like that.']
        : [
            ...toLines(decisions),
            '',
            ...unreadable.flatMap(({ id, message }) => wrap(`${shortId(id)} cannot be read, and is left out: ${message}.`)),
            `${tally(decisions.length + unreadable.length, totalCount, 'decision', '--first')}.`,
          ],
    json: { totalCount, decisions, ...(isToProject ? {} : { unreadable }) },
  })
  return isToProject
    ? toResult(await readRows<ProjectDecisionRow>(DECISIONS_OF_PROJECT), (rows) => toTable(COLUMNS_OF_PROJECT, rows.map(ofProject(nowMs))))
    : toResult(await readRows<DecisionRow>(DECISIONS), (rows) => toTable(COLUMNS, rows.map(ofOperator(nowMs))))
}

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
  { head: 'asked', cut: 'end', least: 14 },
  { head: 'hosts', cut: 'end', least: 5 },
] as const

const COLUMNS_OF_PROJECT = [
  { head: 'decision' },
  { head: 'age', align: 'right' },
  { head: 'outcome' },
  { head: 'found', align: 'right' },
  { head: 'account', cut: 'end', least: 5 },
] as const
