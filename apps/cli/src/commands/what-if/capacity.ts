import { type Command, Option } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT } from '../../call/failure.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { counted } from '../../output/format.ts'
import { heading, paragraph, toMarkdownTable, toPage } from '../../output/markdown.ts'
import { type Form, type Result, run, withExamples, withForms } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { CAPACITY, type Capacity } from './documents.ts'
import { drainLines, drainTexts } from './drain.ts'
import { type HypothesisFlags, readAsked, readHypothesis, withHypothesis } from './hypothesis.ts'

const GROUPINGS = ['AVAILABILITY_ZONE', 'AGGREGATE', 'HOST'] as const

interface Flags extends ConnectionFlags, HypothesisFlags, Form {
  readonly by: (typeof GROUPINGS)[number]
  readonly first: number
}

/** `gantt capacity`: how many more instances of a request fit. */
export function addCapacity(program: Command): void {
  const command = withHypothesis(
    program
      .command('capacity')
      .description('show how many more instances of a request fit, on which hosts, and what prevents more; exits with 1 if none fits')
      .addOption(
        new Option('--by <group>', 'group the hosts by availability-zone, aggregate or host')
          .argParser(oneOf(GROUPINGS))
          .default('AVAILABILITY_ZONE' as const, 'availability-zone'),
      )
      .option('--first <n>', 'show at most this many groups of hosts', wholeNumber(1, 500), 20),
  ).action((flags: Flags) => run(flags, () => capacity(flags)))
  withExamples(withForms(command), [
    ['gantt capacity --vcpus 4 --memory-mb 8192', 'count how many more instances of this size fit'],
    ['gantt capacity --decision DECISION --by aggregate', 'count for the request of a decision, by aggregate'],
    [
      'gantt capacity --spec request.json --drain rack1-a --json | jq .fits',
      'print for a script how many instances fit if a host is drained',
    ],
  ])
}

async function capacity(flags: Flags): Promise<Result> {
  const input = { ...(await readAsked(flags)), groupBy: flags.by, ...readHypothesis(flags) }
  const { capacity: found } = await connect(flags).request(CAPACITY, { input, first: flags.first })
  const page = toPage(
    heading('Capacity'),
    paragraph(headlineOf(found)),
    ...drainTexts(found.drain).map((text) => paragraph(text)),
    ...(found.groups.length === 0
      ? [paragraph(NO_HOST)]
      : [toMarkdownTable(GROUP_HEADS, groupRows(found)), toMarkdownTable(SHARE_HEADS, shareRows(found))]),
  )
  return { lines: toLines(found), markdown: page, json: { input, ...found }, exitCode: found.fits > 0 ? EXIT.done : EXIT.refused }
}

function headlineOf({ fits, exact, cut, hostsWithRoom, asOf }: Capacity): string {
  const why = exact
    ? ''
    : cut === 'DEADLINE'
      ? ' The time limit was reached before all hosts were counted.'
      : ' Counting ended at its limit.'
  return `${exact ? '' : 'At least '}${fits} more fit, on ${counted(hostsWithRoom, 'host')}, at revision ${asOf}.${why}`
}

const right = 'right' as const
const GROUP_HEADS = [
  { head: 'group', cut: 'middle' as const, least: 10, key: true as const },
  { head: 'fits', align: right },
  { head: 'hosts', align: right },
  { head: 'with room', align: right },
  { head: 'limited by', cut: 'end' as const, least: 12 },
]
const groupRows = ({ groups }: Capacity) =>
  groups.map(({ key, fits, hosts, hostsWithRoom, bottleneck }) => [
    key,
    String(fits),
    String(hosts),
    String(hostsWithRoom),
    bottleneck === null ? '-' : `${bottleneck.resource} (${bottleneck.code})`,
  ])

const SHARE_HEADS = [
  { head: 'hosts', align: right },
  { head: 'with room', align: right },
  { head: 'admitted' },
  { head: 'limited by', cut: 'end' as const, least: 10 },
  { head: 'reason', cut: 'end' as const, least: 10 },
  { head: 'filter', cut: 'end' as const, least: 10 },
]
const shareRows = ({ bottleneck }: Capacity) =>
  bottleneck.map(({ hosts, hostsWithRoom, admitted, resource, code, filter }) => [
    String(hosts),
    String(hostsWithRoom),
    // `admitted` is true if the request admits at least one of these hosts.
    admitted ? 'yes' : 'no',
    resource,
    code,
    filter,
  ])

const toLines = (found: Capacity): readonly string[] => [
  ...wrap(headlineOf(found)),
  ...drainLines(found.drain),
  ...(found.groups.length === 0 ? wrap(NO_HOST) : tablesOf(found)),
]

const NO_HOST = 'The fleet has no hosts: none has reported, or all were forgotten. The README shows how to report one.'

const tablesOf = (found: Capacity): readonly string[] => [
  '',
  ...toTable(GROUP_HEADS, groupRows(found)),
  '',
  'What prevents more',
  ...toTable(SHARE_HEADS, shareRows(found)),
]
