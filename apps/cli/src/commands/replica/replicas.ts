import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { CommandFailure, EXIT, toRefusal } from '../../call/failure.ts'
import { wholeNumber } from '../../options/values.ts'
import { GANTT } from '../../output/called.ts'
import { inWords } from '../../output/duration.ts'
import { age, counted } from '../../output/format.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toPairs, toTable, wrap } from '../../output/table.ts'
import { differenceLines } from '../fleet/differences.ts'
import { isChecked, toChecked, toViolations } from '../fleet/findings.ts'
import { toPluginLines } from './plugin-lines.ts'
import { toVitalsLines, VITALS } from './vitals.ts'

interface Flags extends ConnectionFlags {
  readonly heal?: true
  readonly dryRun?: true
  readonly from?: number
  readonly json?: true
}

const REPLICAS = graphql(
  `query Replicas {
  replicas { id url version featureLevel mode reason live answers revision lagEvents lag violations checkedAt
    stateHash { revision hash } startedAt lastSeenAt stoppedAt plugins { name version } ...Vitals }
  auditor { violations warnings notices cleanSince cleanRounds cleanLooks findings { id severity code promise subject name host claim field expected actual since }
    checkedAt age round rounds looked comparisons agreedAt }
}`,
  [VITALS],
)

type Replica = ResultOf<typeof REPLICAS>['replicas'][number]
type Auditor = ResultOf<typeof REPLICAS>['auditor']

interface SoundnessOf {
  readonly replicas: readonly Pick<Replica, 'live' | 'stoppedAt' | 'violations' | 'checkedAt'>[]
  readonly auditor: Pick<Auditor, 'violations' | 'age'>
}

const HEAL = graphql(`mutation Heal($dryRun: Boolean, $from: Revision) {
  replicaHeal(dryRun: $dryRun, fromRevision: $from) {
    __typename
    ... on ReplicaHealPayload { replica dryRun fromRevision fleetRevision differenceCount differences { subject name field before after } }
    ... on UserError { message }
  }
}`)

/** `gantt replicas`: the replicas with their lag and load, and whether their states are correct. */
export function addReplicas(program: Command): void {
  const command = program
    .command('replicas')
    .description(
      'list replicas with their lag, load, plug-ins and violations; exits with 1 if a replica has a violation or is silent, or made no full check in the last day',
    )
    .option('--heal', 'rebuild the state of the answering replica from the log, and show what differed')
    .option('--dry-run', 'with --heal: change nothing; show what differs')
    .option('--from <revision>', 'with --heal: begin at the newest checkpoint at or before this revision', wholeNumber(0, 9_999_999_999))
    .action((flags: Flags) => run(flags, () => (flags.heal ? heal(flags) : showReplicas(flags))))
  withExamples(withService(command), [
    ['gantt replicas', 'list the replicas that gave a sign of life in the last day'],
    ['gantt replicas --heal --dry-run', 'show how the state of this replica differs from the log'],
  ])
}

async function showReplicas({ dryRun, from, ...flags }: Flags): Promise<Result> {
  if (dryRun || from !== undefined) throw new CommandFailure(EXIT.usage, '--dry-run and --from need --heal')
  const answer = await connect(flags).request(REPLICAS)
  const { replicas, auditor } = answer
  const live = replicas.filter((one) => one.live)
  return {
    lines: [...[...toReplicaTable(replicas), '', ...toVitalsLines(live), ''], ...[...toPluginLines(live), '', ...toAuditorLines(auditor)]],
    json: answer,
    exitCode: isSound(answer, Date.now()) ? EXIT.done : EXIT.refused,
  }
}

/**
 * True if no replica has a violation, every replica that was not stopped gives signs of life, and each of these made a full check in the last
 * day.
 */
export function isSound({ replicas, auditor }: SoundnessOf, nowMs: number): boolean {
  const isRecent = (checkedAt: string | null): boolean =>
    isChecked(checkedAt === null ? null : `PT${Math.max(0, nowMs - Date.parse(checkedAt)) / 1_000}S`)
  return (
    auditor.violations === 0 &&
    isChecked(auditor.age) &&
    replicas.every(({ live, stoppedAt, violations, checkedAt }) => (live ? violations === 0 && isRecent(checkedAt) : stoppedAt !== null))
  )
}

const toReplicaTable = (replicas: readonly Replica[]): readonly string[] =>
  toTable(
    [
      { head: 'replica', cut: 'middle', key: true },
      { head: 'mode' },
      { head: 'level', align: 'right' },
      { head: 'revision', align: 'right' },
      { head: 'lag', align: 'right' },
      { head: 'violations', align: 'right' },
      { head: 'seen', align: 'right' },
    ],
    replicas.map((one) => [
      `${one.id}${one.answers ? ' *' : ''}`,
      one.live ? one.mode : one.stoppedAt === null ? 'SILENT' : 'STOPPED',
      String(one.featureLevel),
      one.revision,
      one.lagEvents === 0 ? '0' : `${one.lagEvents} (${inWords(one.lag)})`,
      one.violations === 0 && one.checkedAt === null ? '?' : String(one.violations),
      `${age(one.lastSeenAt, Date.now())} ago`,
    ]),
  )

function toAuditorLines(auditor: Auditor): readonly string[] {
  const { violations, warnings, notices, findings, age: checkedAge, looked, comparisons, agreedAt } = auditor
  const broken = findings.filter(({ severity }) => severity === 'VIOLATION')
  const checked = toChecked(checkedAge, `${looked} items, `)
  const compared =
    comparisons === 0
      ? 'nothing to compare with yet'
      : `${counted(comparisons, 'digest')} compared, the last equal one ${age(agreedAt, Date.now())} ago`
  return [
    ...toPairs([
      ['*', 'the replica that answered this command'],
      ['its auditor', `${toViolations(violations, auditor)}; ${checked}`],
      ['the hosts', `${counted(warnings, 'warning')}, ${counted(notices, 'notice')} about what they report: ${GANTT} findings`],
      ['other replicas', compared],
    ]),
    ...broken.flatMap(({ code, subject, name, field, expected, actual, since }) => [
      '',
      ...wrap(`${code}: ${subject} ${name}, ${field}: expected ${expected}, found ${actual}, since ${since}`),
    ]),
    ...(broken.length === 0 ? [] : ['', `To compare it with the log: ${GANTT} replicas --heal --dry-run`]),
  ]
}

async function heal({ dryRun, from, ...flags }: Flags): Promise<Result> {
  const variables = { dryRun: dryRun ?? false, from: from === undefined ? null : String(from) }
  const { replicaHeal: answer } = await connect(flags).request(HEAL, variables)
  if (!('differences' in answer)) throw toRefusal(answer)
  const { replica, fromRevision, fleetRevision, differenceCount } = answer
  const origin = Number(fromRevision) === 0 ? 'the whole log' : `the checkpoint at revision ${fromRevision} and the log`
  const done = answer.dryRun ? 'nothing was changed' : 'the replica now has the state of the log'
  return {
    lines: [
      ...differenceLines(answer, (before, after) => `had ${before}, the log says ${after}`),
      ...(differenceCount > 0 ? [''] : []),
      ...wrap(`${counted(differenceCount, 'difference')} at revision ${fleetRevision}, by ${origin}; ${done}.`),
      `Replica: ${replica}`,
    ],
    json: answer,
  }
}
