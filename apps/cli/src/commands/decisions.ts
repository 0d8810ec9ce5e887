import { decisionFields } from '@gantt/scheduler-core/query'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { age, mib } from './format.ts'
import { notEmpty } from './hosts.ts'
import { shortId } from './ids.ts'
import { oneOf, wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { PAGE_INFO, type Page, readPages, tally } from './pages.ts'
import { fieldsHelp, queryOf } from './query.ts'
import { toTable } from './table.ts'

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
  readonly destinations: readonly { readonly selected: { readonly host: { readonly name: string } } }[]
}

const DECISIONS = `query Decisions($first: Int!, $after: String, $filter: DecisionFilter, $query: String) {
  decisions(first: $first, after: $after, filter: $filter, query: $query) {
    ${PAGE_INFO}
    nodes { id at outcome account spec { vcpus memoryMb numInstances } destinations { selected { host { name } } } }
  }
}`

/** `gantt decisions`: what was decided, newest first. */
export function addDecisions(program: Command): void {
  const command = program
    .command('decisions')
    .description('list decisions, newest first')
    .option('--outcome <outcome>', `only with this end: ${OUTCOMES.join(', ')}`, oneOf(OUTCOMES))
    .option('--host <name>', 'only those that chose this host', notEmpty)
    .option('--query <terms>', `only those of which these terms hold; ${fieldsHelp(decisionFields)}`, queryOf(decisionFields))
    .option('--first <n>', 'at most so many', wholeNumber(1, 100_000), 20)
    .action((flags: Flags) => run(flags, () => listDecisions(flags)))
  withExamples(withService(command), [
    ['gantt decisions --outcome NO_VALID_HOST', 'requests that no host could take'],
    ["gantt decisions --query 'reason:memory.* last:1h'", 'what failed for memory in the last hour'],
  ])
}

async function listDecisions({ outcome, host, query, first, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const filter = { ...(outcome === undefined ? {} : { outcome: [outcome] }), ...(host === undefined ? {} : { host: { eq: host } }) }
  const { items: decisions, totalCount } = await readPages(first, async (size, after) => {
    const answer = await client.request<{ decisions: Page<DecisionRow> }>(DECISIONS, { first: size, after, filter, query })
    return answer.decisions
  })
  const nowMs = Date.now()
  const rows = decisions.map(({ id, at, outcome: end, spec, destinations }) => [
    shortId(id),
    age(at, nowMs),
    end,
    `${spec.numInstances}x ${spec.vcpus}/${mib(spec.memoryMb).replace(' ', '')}`,
    [...new Set(destinations.map(({ selected }) => selected.host.name))].join(',') || '-',
  ])
  const table = toTable(COLUMNS, rows)
  const lines =
    totalCount === 0 ? ['No decision is like that.'] : [...table, '', `${tally(decisions.length, totalCount, 'decision', '--first')}.`]
  return { lines, json: { totalCount, decisions } }
}

const COLUMNS = [
  { head: 'decision' },
  { head: 'age', align: 'right' },
  { head: 'outcome' },
  { head: 'asked', cut: 'end', least: 14 },
  { head: 'hosts', cut: 'end', least: 5 },
] as const
