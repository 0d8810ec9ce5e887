import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect, type ServiceClient } from '../../call/connection.ts'
import { CommandFailure, EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { wholeNumber } from '../../options/values.ts'
import { GANTT } from '../../output/called.ts'
import { inWords, millisecondsOf } from '../../output/duration.ts'
import { counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { wrap } from '../../output/table.ts'
import { notEmpty } from '../host/hosts.ts'
import { differenceLines } from './differences.ts'

interface Flags extends ConnectionFlags {
  readonly repair?: string
  readonly reason?: string
  readonly choose?: string
  readonly vcpus?: number
  readonly memory?: number
  readonly disk?: number
  readonly project?: string
  readonly account?: string
  readonly dryRun?: true
  readonly json?: true
}

const FINDINGS = graphql(`query Findings($after: String) {
  auditor { violations warnings notices age cleanSince cleanRounds cleanLooks
    allFindings(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes {
      id severity code promise subject name host claim field expected actual since repair { automatic text options { name text asksSize } } } } }
}`)

type Finding = ResultOf<typeof FINDINGS>['auditor']['allFindings']['nodes'][number]

/** The time since which there has been no violation, and how many checks have found none since then. */
export type Clean = Pick<ResultOf<typeof FINDINGS>['auditor'], 'cleanSince' | 'cleanRounds' | 'cleanLooks'>

const REPAIR = graphql(
  `mutation RepairFinding($id: ID!, $reason: String!, $choose: String, $size: InstanceSizeInput, $project: String, $account: String, $dryRun: Boolean!) {
  findingRepair(id: $id, reason: $reason, choose: $choose, size: $size, project: $project, account: $account, dryRun: $dryRun) {
    __typename
    ... on FindingRepairPayload { dryRun fleetRevision differenceCount differences { subject name field before after } }
    ...Refusal
  }
}`,
  [REFUSAL],
)

/** `gantt findings`: lists the auditor's findings and how to repair each, or repairs one. */
export function addFindings(program: Command): void {
  const command = program
    .command('findings')
    .description(
      'list the findings of the auditor in claims and host reports, and how to repair them; exits with 1 if there is a violation or a warning, or no full check in the last day',
    )
    .option('--repair <id>', 'repair the finding with this id', notEmpty)
    .option('--reason <text>', 'with --repair: reason for the repair, recorded in the audit', notEmpty)
    .option('--choose <option>', 'with --repair: one of the options listed with the finding, if there are several', notEmpty)
    .option('--vcpus <n>', 'with --repair: CPUs of the instance for which a claim is created', wholeNumber(0, 1_000_000))
    .option('--memory <mib>', 'with --vcpus: memory of the instance, in MiB', wholeNumber(0, 2_000_000_000))
    .option('--disk <gib>', 'with --vcpus: disk of the instance, in GiB; 0 if not given', wholeNumber(0, 2_000_000_000))
    .option('--project <project>', 'with --repair: project of the instance for which a claim is created; none if not given', notEmpty)
    .option(
      '--account <account>',
      'with --repair: account of the instance for which a claim is created; your own if not given; other accounts require the scope ADMIN',
      notEmpty,
    )
    .option('--dry-run', 'with --repair: change nothing; show what the repair would change')
    .action((flags: Flags) => run(flags, () => (flags.repair === undefined ? showFindings(flags) : repair(flags, flags.repair))))
  withExamples(withService(command), [
    ['gantt findings', 'list all findings of this replica'],
    ['gantt findings --repair 5f2c9a0b1d3e4f60 --reason "the host lost it" --dry-run', 'show what a repair would change'],
    ['gantt findings --repair 5f2c9a0b1d3e4f60 --reason "the host lost it"', 'repair a finding'],
    [
      'gantt findings --repair 5f2c9a0b1d3e4f60 --reason "renamed" --choose host:rack7-a',
      'repair a finding that has several possible repairs',
    ],
  ])
}

/** If the last full check is older than this many milliseconds, the findings do not show that the state is correct. */
const MAX_CHECKED_AGE_MS = 86_400_000

/** True if the auditor completed a full check in the last day. `age` is the age of its last full check. */
export const isChecked = (age: string | null): boolean => age !== null && millisecondsOf(age) <= MAX_CHECKED_AGE_MS

/** The age of the auditor's last full check, in words. `looked` is what it checked. */
export function toChecked(age: string | null, looked = ''): string {
  if (age === null) return 'no full check yet, so findings can be missing'
  return `last full check: ${looked}${inWords(age)} ago${isChecked(age) ? '' : ', which is more than a day'}`
}

/** A sentence about violations: how many there are, or since when there is none and how many checks confirm this. */
export function toViolations(violations: number, { cleanSince, cleanRounds, cleanLooks }: Clean): string {
  const count = counted(violations, 'violation')
  if (violations > 0 || cleanSince === null) return count
  return `${count} since ${cleanSince}, in ${counted(cleanLooks, 'check')} of ${counted(cleanRounds, 'round')}`
}

async function showFindings({ reason, dryRun, choose, vcpus, memory, disk, project, account, ...flags }: Flags): Promise<Result> {
  if ([reason, dryRun, choose, vcpus, memory, disk, project, account].some((flag) => flag !== undefined))
    throw new CommandFailure(EXIT.usage, '--reason, --choose, --vcpus, --memory, --disk, --project, --account and --dry-run need --repair')
  const { allFindings: _pages, ...auditor } = await readAll(connect(flags))
  const { violations, warnings, notices, age, findings } = auditor
  return {
    lines: [
      ...findings.flatMap((finding) => [...toLines(finding), '']),
      ...wrap(`${toViolations(violations, auditor)}; ${counted(warnings, 'warning')}, ${counted(notices, 'notice')}; ${toChecked(age)}.`),
    ],
    json: auditor,
    exitCode: violations + warnings === 0 && isChecked(age) ? EXIT.done : EXIT.refused,
  }
}

/** The auditor's latest results, with the findings of all pages. */
async function readAll(client: ServiceClient): Promise<ResultOf<typeof FINDINGS>['auditor'] & { readonly findings: readonly Finding[] }> {
  const findings: Finding[] = []
  for (let after: string | null = null; ; ) {
    const answer: ResultOf<typeof FINDINGS> = await client.request(FINDINGS, { after })
    const { nodes, pageInfo } = answer.auditor.allFindings
    findings.push(...nodes)
    if (!pageInfo.hasNextPage) return { ...answer.auditor, findings }
    after = pageInfo.endCursor
  }
}

function toLines({
  id,
  severity,
  code,
  subject,
  name,
  host,
  claim,
  field,
  expected,
  actual,
  since,
  repair: how,
}: Finding): readonly string[] {
  const where = [host === null || host === name ? '' : ` on ${host}`, claim === null ? '' : `, claim ${claim}`].join('')
  return [
    ...wrap(`${severity} ${code}: ${subject} ${name}${where}, ${field}: expected ${expected}, found ${actual}, since ${since}`),
    ...wrap(how.text).map((line) => `  ${line}`),
    ...(how.options.length > 1 ? how.options.flatMap((option) => wrap(`  ${option.name}: ${option.text}`)) : []),
    ...(how.automatic ? [`  ${GANTT} findings --repair ${id} --reason TEXT${wordsFor(how.options)} --dry-run`] : []),
  ]
}

/** The options for the command that repairs a finding: which repair, if several are possible, and the size of the instance, if needed. */
const wordsFor = (options: Finding['repair']['options']): string =>
  `${options.length > 1 ? ' --choose OPTION' : ''}${options.some(({ asksSize }) => asksSize) ? ' --vcpus N --memory MIB' : ''}`

async function repair({ reason, dryRun, choose, vcpus, memory, disk, project, account, ...flags }: Flags, id: string): Promise<Result> {
  if ((vcpus === undefined) !== (memory === undefined) || (disk !== undefined && vcpus === undefined))
    throw new CommandFailure(EXIT.usage, 'the size of an instance needs both --vcpus and --memory')
  const size = vcpus === undefined ? null : { vcpus, memoryMib: memory ?? 0, diskGib: disk ?? 0 }
  if (reason === undefined) throw new CommandFailure(EXIT.usage, '--repair needs --reason: it is written into the audit')
  const { findingRepair: answer } = await connect(flags).request(REPAIR, {
    ...{ id, reason, choose, size, project, account, dryRun: dryRun ?? false },
  })
  if (!('differences' in answer)) throw toRefusal(answer)
  const { differenceCount, fleetRevision } = answer
  return {
    lines: [
      ...differenceLines(answer, (before, after) => `${before}, then ${after}`),
      ...wrap(
        answer.dryRun
          ? `${counted(differenceCount, 'difference')} if it were repaired on revision ${fleetRevision}; nothing was changed.`
          : `Repaired at revision ${fleetRevision}: ${counted(differenceCount, 'difference')}.`,
      ),
    ],
    json: answer,
  }
}
