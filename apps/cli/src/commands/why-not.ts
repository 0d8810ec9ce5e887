import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { askAbout } from './decision.ts'
import { EXIT } from './failure.ts'
import { decimal } from './format.ts'
import { wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toTable, wrap } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly node?: string
  readonly instance?: number
  readonly json?: true
}

interface Answer {
  readonly headline: string
  readonly outcome: string
  readonly wouldPassNow: boolean | null
  readonly verdict: {
    readonly rank: number | null
    readonly totalWeight: number | null
    readonly checks: readonly {
      readonly filter: string
      readonly status: string
      readonly reason: string | null
      readonly text: string | null
    }[]
  }
  readonly versusWinner: readonly {
    readonly weigher: string
    readonly winnerRaw: number
    readonly hostRaw: number
    readonly unit: string
    readonly winner: number
    readonly host: number
    readonly gap: number
  }[]
}

const WHY_NOT = `query WhyNot($input: WhyNotInput!) {
  whyNot(input: $input) {
    headline outcome wouldPassNow
    verdict { hostName node outcome rank totalWeight checks { filter status reason text facts { subject required actual shortfall unit } } }
    versusWinner { weigher winnerRaw hostRaw unit winner host gap }
  }
}`

/** `gantt why-not`: why a decision did not take one host. */
export function addWhyNot(program: Command): void {
  const command = program
    .command('why-not')
    .description('why a decision did not take a host: every check with its numbers, and what it lost by')
    .argument('<decision>', 'its id, as select and decisions print it')
    .argument('<host>', 'name of the host')
    .option('--node <name>', 'which node, of a host with many')
    .option('--instance <n>', 'which instance, from 0; if not given the one that found no host, else the first', wholeNumber(0, 999))
    .action((decision: string, host: string, flags: Flags) => run(flags, () => whyNot(decision, host, flags)))
  withExamples(withService(command), [
    ['gantt why-not 0bf0b5ab-5a5f-4e0c-9b7e-4c0f6f5d9a11 rack1-a', 'one host of one decision'],
    ['gantt why-not DECISION rack1-a --json | jq .verdict.checks', 'its checks, for a script'],
  ])
}

async function whyNot(decisionId: string, host: string, { node, instance, ...flags }: Flags): Promise<Result> {
  const input = {
    subject: { decisionId },
    host: { host, ...(node === undefined ? {} : { node }) },
    ...(instance === undefined ? {} : { instanceIndex: instance }),
  }
  const client = connect(flags)
  const { whyNot: answer } = await askAbout(client, decisionId, () => client.request<{ whyNot: Answer }>(WHY_NOT, { input }))
  return { lines: toLines(answer), json: answer, exitCode: answer.outcome === 'UNKNOWN' ? EXIT.refused : EXIT.done }
}

function toLines({ headline, verdict, versusWinner, wouldPassNow }: Answer): readonly string[] {
  const asked = verdict.checks.filter(({ status }) => status !== 'NOT_ASKED')
  const notAsked = verdict.checks.filter(({ status }) => status === 'NOT_ASKED').map(({ filter }) => filter)
  const checks = toTable(
    [{ head: 'check' }, { head: 'filter', cut: 'end', least: 20 }, { head: 'reason', wraps: true, least: 24 }],
    asked.map(({ status, filter, text }) => [status, filter, text ?? '']),
  )
  const weights = toTable(
    [
      { head: 'weigher', cut: 'end', least: 16 },
      { head: 'winner', align: 'right' },
      { head: 'this host', align: 'right' },
      { head: 'unit', cut: 'end', least: 6 },
      { head: 'gap in total', align: 'right' },
    ],
    versusWinner.map(({ weigher, winnerRaw, hostRaw, unit, gap }) => [weigher, decimal(winnerRaw), decimal(hostRaw), unit, decimal(gap)]),
  )
  return [
    ...wrap(headline),
    '',
    ...(asked.length === 0 ? [] : [...checks, '']),
    ...(notAsked.length === 0 ? [] : [...wrap(`Nothing was asked of ${notAsked.join(', ')}.`), '']),
    ...(versusWinner.length === 0 ? [] : [...weights, '']),
    NOW[String(wouldPassNow)] ?? '',
  ]
}

const NOW: Readonly<Record<string, string>> = {
  true: 'Now it would pass every filter.',
  false: 'Now it would be refused too.',
  null: 'The host is not there now.',
}
