import type { Command } from 'commander'
import { GANTT } from './called.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { DIFFERENCES, type Differences, differenceLines } from './differences.ts'
import { CommandFailure, EXIT, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { counted } from './format.ts'
import { notEmpty } from './hosts.ts'
import { wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { wrap } from './table.ts'
import { inWords } from './words.ts'

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

interface Finding {
  readonly id: string
  readonly severity: 'VIOLATION' | 'WARNING' | 'NOTICE'
  readonly code: string
  readonly subject: string
  readonly name: string
  readonly host: string | null
  readonly claim: string | null
  readonly field: string
  readonly expected: string
  readonly actual: string
  readonly since: string
  readonly repair: {
    readonly automatic: boolean
    readonly text: string
    readonly options: readonly { readonly name: string; readonly text: string; readonly asksSize: boolean }[]
  }
}

/** How long there has been no violation, and how much was looked at for it. */
export interface Clean {
  readonly cleanSince: string | null
  readonly cleanRounds: number
  readonly cleanLooks: number
}

interface Auditor extends Clean {
  readonly violations: number
  readonly warnings: number
  readonly notices: number
  readonly age: string | null
  readonly allFindings: {
    readonly nodes: readonly Finding[]
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
  }
}

interface Repaired extends Differences {
  readonly dryRun: boolean
  readonly fleetRevision: string
}

const FINDINGS = `query Findings($after: String) {
  auditor { violations warnings notices age cleanSince cleanRounds cleanLooks
    allFindings(first: 100, after: $after) { pageInfo { hasNextPage endCursor } nodes {
      id severity code promise subject name host claim field expected actual since repair { automatic text options { name text asksSize } } } } }
}`

const REPAIR = `mutation RepairFinding($id: ID!, $reason: String!, $choose: String, $size: InstanceSizeInput, $project: String, $account: String, $dryRun: Boolean!) {
  findingRepair(id: $id, reason: $reason, choose: $choose, size: $size, project: $project, account: $account, dryRun: $dryRun) {
    __typename
    ... on FindingRepairPayload { dryRun fleetRevision ${DIFFERENCES} }
    ${REFUSAL}
  }
}`

/** `gantt findings`: what the auditor found, what mends each, and the mending. */
export function addFindings(program: Command): void {
  const command = program
    .command('findings')
    .description(
      'what the auditor found in claims and in reports of hosts, and what mends it; ends with 1 where there is a violation or a warning',
    )
    .option('--repair <id>', 'mend the finding of that id', notEmpty)
    .option('--reason <text>', 'with --repair: why, for those who ask later', notEmpty)
    .option('--choose <option>', 'with --repair: which of the ways that are listed with the finding, where there are several', notEmpty)
    .option('--vcpus <n>', 'with --repair: size of the instance that is claimed', wholeNumber(0, 1_000_000))
    .option('--memory <mib>', 'with --vcpus: its memory', wholeNumber(0, 2_000_000_000))
    .option('--disk <gib>', 'with --vcpus: its disk; 0 if not given', wholeNumber(0, 2_000_000_000))
    .option('--project <project>', 'with --repair: project of the instance that is claimed; none if not given', notEmpty)
    .option(
      '--account <account>',
      'with --repair: account of the instance that is claimed; your own if not given, others take ADMIN',
      notEmpty,
    )
    .option('--dry-run', 'with --repair: change nothing; say what would differ')
    .action((flags: Flags) => run(flags, () => (flags.repair === undefined ? showFindings(flags) : repair(flags, flags.repair))))
  withExamples(withService(command), [
    ['gantt findings', 'all that the replica that answers has found'],
    ['gantt findings --repair 5f2c9a0b1d3e4f60 --reason "the host lost it" --dry-run', 'what would change?'],
    ['gantt findings --repair 5f2c9a0b1d3e4f60 --reason "the host lost it"', 'mend it'],
    ['gantt findings --repair 5f2c9a0b1d3e4f60 --reason "renamed" --choose host:rack7-a', 'by one of several ways'],
  ])
}

/** The count of violations as a sentence: since when there is none, and how many looks that took. */
export function toViolations(violations: number, { cleanSince, cleanRounds, cleanLooks }: Clean): string {
  const count = counted(violations, 'violation')
  if (violations > 0 || cleanSince === null) return count
  return `${count} since ${cleanSince}, in ${counted(cleanLooks, 'look')} of ${counted(cleanRounds, 'round')}`
}

async function showFindings({ reason, dryRun, choose, vcpus, memory, disk, project, account, ...flags }: Flags): Promise<Result> {
  if ([reason, dryRun, choose, vcpus, memory, disk, project, account].some((flag) => flag !== undefined))
    throw new CommandFailure(
      EXIT.usage,
      '--reason, --choose, --vcpus, --memory, --disk, --project, --account and --dry-run go with --repair',
    )
  const { allFindings: _pages, ...auditor } = await readAll(connect(flags))
  const { violations, warnings, notices, age, findings } = auditor
  const checked = age === null ? 'it has not looked at everything yet' : `it had looked at everything ${inWords(age)} ago`
  return {
    lines: [
      ...findings.flatMap((finding) => [...toLines(finding), '']),
      ...wrap(`${toViolations(violations, auditor)}; ${counted(warnings, 'warning')}, ${counted(notices, 'notice')}; ${checked}.`),
    ],
    json: auditor,
    exitCode: violations + warnings === 0 ? EXIT.done : EXIT.refused,
  }
}

/** What the auditor says last, with the findings of all pages. */
async function readAll(client: ReturnType<typeof connect>): Promise<Auditor & { readonly findings: readonly Finding[] }> {
  const findings: Finding[] = []
  for (let after: string | null = null; ; ) {
    const answer: { readonly auditor: Auditor } = await client.request<{ auditor: Auditor }>(FINDINGS, { after })
    const { nodes, pageInfo }: Auditor['allFindings'] = answer.auditor.allFindings
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

/** What a repair needs besides its finding: which way, where there are several, and how large an instance is. */
const wordsFor = (options: Finding['repair']['options']): string =>
  `${options.length > 1 ? ' --choose OPTION' : ''}${options.some(({ asksSize }) => asksSize) ? ' --vcpus N --memory MIB' : ''}`

async function repair({ reason, dryRun, choose, vcpus, memory, disk, project, account, ...flags }: Flags, id: string): Promise<Result> {
  if ((vcpus === undefined) !== (memory === undefined) || (disk !== undefined && vcpus === undefined))
    throw new CommandFailure(EXIT.usage, 'a size has --vcpus and --memory')
  const size = vcpus === undefined ? null : { vcpus, memoryMib: memory, diskGib: disk ?? 0 }
  if (reason === undefined) throw new CommandFailure(EXIT.usage, '--repair needs --reason: it is written into the audit')
  const { findingRepair: answer } = await connect(flags).request<{ findingRepair: Repaired | Refusal }>(REPAIR, {
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
