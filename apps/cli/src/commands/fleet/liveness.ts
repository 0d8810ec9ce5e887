import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { CommandFailure, EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { DEFAULT_FIRST, readPages, tally } from '../../call/pages.ts'
import { toHostName } from '../../options/host-name.ts'
import { wholeNumber } from '../../options/values.ts'
import { GANTT } from '../../output/called.ts'
import { inWords } from '../../output/duration.ts'
import { age, counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs, toTable, wrap } from '../../output/table.ts'
import { nameOf, notEmpty } from '../host/hosts.ts'

interface Flags extends ConnectionFlags {
  readonly confirm?: readonly string[]
  readonly reason?: string
  readonly first: number
  readonly all?: true
  readonly json?: true
}

const HOST = graphql(`fragment SilentHost on Host { name node hasOtherNodes state stateReason }`)

const LIVENESS = graphql(
  `query Liveness { liveness {
  source suspectAfter downAfter checkedAt up suspect down warning withheld { ...SilentHost }
} }`,
  [HOST],
)

type SilentHost = ResultOf<typeof HOST>
type Liveness = ResultOf<typeof LIVENESS>['liveness']

const SILENT = graphql(
  `query Silent($first: Int!, $after: String) {
  hosts(first: $first, after: $after, query: "state:SUSPECT,DOWN") { totalCount pageInfo { hasNextPage endCursor } nodes { ...SilentHost } }
}`,
  [HOST],
)

const CONFIRM = graphql(
  `mutation ConfirmDown($hosts: [ResourceNameInput!]!, $reason: String!) {
  livenessConfirm(hosts: $hosts, reason: $reason) {
    __typename
    ... on LivenessConfirmPayload { hosts { ...SilentHost } }
    ...Refusal
  }
}`,
  [HOST, REFUSAL],
)

/** `gantt liveness`: how many hosts are alive, and which are silent. */
export function addLiveness(program: Command): void {
  const command = program
    .command('liveness')
    .description('show which hosts are silent, since when, and which of them are not set DOWN because too many became silent at once')
    .option('--confirm <host...>', 'confirm that these silent hosts, HOST or HOST/NODE, are down; their claims stay')
    .option('--reason <text>', 'with --confirm: reason why the hosts are down, stored with the hosts', notEmpty)
    .option('--first <n>', 'list at most this many silent hosts', wholeNumber(1, 100_000), DEFAULT_FIRST)
    .option('--all', 'list all rows')
    .action((flags: Flags) => run(flags, () => (flags.confirm === undefined ? showLiveness(flags) : confirmDown(flags.confirm, flags))))
  withExamples(withService(command), [
    ['gantt liveness', 'show how many hosts are alive, and which are silent'],
    [
      'gantt liveness --confirm rack7-a rack7-b --reason "the rack has no power"',
      'confirm that hosts are down: they get no new instances until they report',
    ],
  ])
}

async function showLiveness({ first, all, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const { liveness } = await client.request(LIVENESS)
  const { items: silent, totalCount } = await readPages(all ? Number.POSITIVE_INFINITY : first, async (size, after) => {
    const answer = await client.request(SILENT, { first: size, after })
    return answer.hosts
  })
  return { lines: toLines(liveness, silent, totalCount), json: { ...liveness, silent: { totalCount, hosts: silent } } }
}

const SOURCES: Readonly<Record<string, string>> = {
  reports: 'reports: a host is up while it sends reports or heartbeats',
  static: 'static: all hosts are up; GANTT_LIVENESS=reports checks them',
}

function toLines(
  { source, suspectAfter, downAfter, checkedAt, warning, withheld, ...counts }: Liveness,
  silent: readonly SilentHost[],
  of: number,
) {
  const held = new Set(withheld.map(nameOf))
  const { up, suspect, down } = counts
  return [
    ...toPairs([
      ['source', SOURCES[source] ?? source],
      ['up', String(up)],
      ['suspect', `${suspect}, silent for ${inWords(suspectAfter)} or longer; still chosen for new instances`],
      ['down', `${down}, silent for ${inWords(downAfter)} or longer; not chosen for new instances; claims stay`],
      ['last check', checkedAt === null ? 'never' : `${age(checkedAt, Date.now())} ago`],
    ]),
    ...(silent.length === 0 ? [] : ['', ...toHostTable(silent, held), '', `${tally(silent.length, of, 'silent host')}.`]),
    ...(warning === null
      ? []
      : ['', ...wrap(`Warning: ${warning}`), `If they are down: ${GANTT} liveness --confirm HOST... --reason "..."`]),
  ]
}

const toHostTable = (hosts: readonly SilentHost[], withheld: ReadonlySet<string> = new Set()): readonly string[] =>
  toTable(
    [{ head: 'host', cut: 'middle', key: true }, { head: 'state' }, { head: 'why', wraps: true, least: 26 }],
    hosts.map((host) => [
      nameOf(host),
      host.state,
      `${host.stateReason ?? '-'}${withheld.has(nameOf(host)) ? '; DOWN awaits confirmation' : ''}`,
    ]),
  )

async function confirmDown(names: readonly string[], { reason, ...flags }: Flags): Promise<Result> {
  if (reason === undefined)
    throw new CommandFailure(EXIT.usage, '--reason is missing: give the reason why the hosts are down, which is kept with the hosts')
  const variables = { hosts: names.map((name) => toHostName(name)), reason }
  const { livenessConfirm: answer } = await connect(flags).request(CONFIRM, variables)
  if (!('hosts' in answer)) throw toRefusal(answer)
  const { hosts } = answer
  return {
    lines: [...toHostTable(hosts), '', `${counted(hosts.length, 'host')} set to DOWN until the next sign of life; claims stay.`],
    json: answer,
  }
}
