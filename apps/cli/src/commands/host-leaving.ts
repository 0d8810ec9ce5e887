import type { Command } from 'commander'
import { type ConnectionFlags, connect } from './connection.ts'
import { CommandFailure, EXIT, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { counted } from './format.ts'
import { toHostName } from './host-name.ts'
import { nameOf, notEmpty } from './hosts.ts'
import { shortId } from './ids.ts'
import { wholeNumber } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toTable, wrap } from './table.ts'

interface Flags extends ConnectionFlags {
  readonly reason?: string
  readonly yes?: true
  readonly json?: true
}

interface ForgetFlags extends Flags {
  readonly claims?: number
  readonly force?: true
}

interface HostName {
  readonly name: string
  readonly node: string
}

interface ClaimOnHost {
  readonly id: string
  readonly instanceUuid: string | null
  readonly state: string
  readonly account: string
}

interface Done {
  readonly hosts: readonly HostName[]
  readonly unchanged: boolean
  readonly impact: {
    readonly claimCount: number
    readonly claims: readonly ClaimOnHost[]
    readonly aggregates: readonly string[]
    readonly serverGroups: readonly string[]
  }
}

type HasClaims = Refusal & { readonly claimCount: number; readonly claims: readonly ClaimOnHost[] }

const CLAIMS = 'claims { id instanceUuid state account }'
const IMPACT = `hosts { name node hasOtherNodes } unchanged impact { claimCount ${CLAIMS} aggregates serverGroups }`
const HAS_CLAIMS = `... on HostHasClaims { claimCount ${CLAIMS} }`

const FORGET = `mutation HostForget($hosts: [ResourceNameInput!]!, $force: Boolean!, $expectedClaims: Int, $reason: String!, $dryRun: Boolean!) {
  hostForget(hosts: $hosts, force: $force, expectedClaims: $expectedClaims, reason: $reason, dryRun: $dryRun) {
    __typename ... on HostForgetPayload { ${IMPACT} } ${HAS_CLAIMS} ${REFUSAL} } }`
const READMIT = `mutation HostReadmit($host: ResourceNameInput!, $reason: String!) { hostReadmit(host: $host, reason: $reason) {
    __typename ... on HostReadmitPayload { hosts { name node hasOtherNodes } unchanged } ${REFUSAL} } }`
const REPLACE = `mutation HostReplace($host: ResourceNameInput!, $by: ResourceNameInput!, $reason: String!, $dryRun: Boolean!) {
  hostReplace(host: $host, by: $by, reason: $reason, dryRun: $dryRun) {
    __typename ... on HostReplacePayload { ${IMPACT} merged { name node hasOtherNodes } } ${HAS_CLAIMS} ${REFUSAL} } }`

/** `gantt host forget|readmit|replace`: hosts that leave the fleet, come back, or get another name. */
export function addLeaving(host: Command): void {
  const forget = host
    .command('forget')
    .description('take hosts out of the fleet: all of them, or none; their history stays. Without --yes only shows what would end')
    .argument('<host...>', 'their names, HOST or HOST/NODE; a host with many nodes leaves with all of them')
    .option('--reason <text>', 'why, for those who ask later; needed with --yes', notEmpty)
    .option('--force', 'although they have live claims, which end REVOKED')
    .option('--claims <n>', 'only if they have so many live claims, as was shown without --yes', wholeNumber(0, 9_999_999))
    .option('--yes', 'do it')
    .action((names: readonly string[], flags: ForgetFlags) => run(flags, () => forgetHosts(names, flags)))
  withExamples(withService(forget), [
    ['gantt host forget rack1-a', 'what would end with it?'],
    ['gantt host forget rack1-a --reason "scrapped" --yes', 'it is gone; reports under its name are refused'],
    ['gantt host forget rack1-a --reason "burnt" --force --claims 12 --yes', 'with the 12 claims on it, and not with one more'],
  ])
  const readmit = host
    .command('readmit')
    .description('take reports under the name of a host again that was forgotten or replaced')
    .argument('<host>', 'its name, HOST or HOST/NODE')
    .requiredOption('--reason <text>', 'why, for those who ask later', notEmpty)
    .action((name: string, flags: Flags & { readonly reason: string }) => run(flags, () => readmitHost(name, flags)))
  withExamples(withService(readmit), [['gantt host readmit rack1-a --reason "repaired"', 'it is there with its next full report']])
  const replace = host
    .command('replace')
    .description('say that a machine has another name: claims, groups, aggregates and API keys follow. Without --yes only shows what would')
    .argument('<host>', 'as it is called now, HOST or HOST/NODE')
    .argument('<by>', 'as it is called from now on')
    .option('--reason <text>', 'why, for those who ask later; needed with --yes', notEmpty)
    .option('--yes', 'do it')
    .action((name: string, by: string, flags: Flags) => run(flags, () => replaceHost(name, by, flags)))
  withExamples(withService(replace), [
    ['gantt host replace rack1-a rack7-a', 'what would follow it?'],
    ['gantt host replace rack1-a rack7-a --reason "moved to rack 7" --yes', 'also where its agent reports as rack7-a already'],
  ])
}

/** Why hosts leave; of a preview, which changes nothing and is kept nowhere, nobody asks later. */
function reasonOf(reason: string | undefined, isDone: true | undefined): string {
  if (reason !== undefined) return reason
  if (isDone) throw new CommandFailure(EXIT.usage, '--reason is missing: with --yes say why, for those who ask later.')
  return 'preview'
}

async function forgetHosts(names: readonly string[], { force, claims, reason, yes, ...flags }: ForgetFlags): Promise<Result> {
  const variables = {
    ...{ hosts: names.map((name) => toHostName(name)), force: force === true, reason: reasonOf(reason, yes), dryRun: yes !== true },
    expectedClaims: claims ?? null,
  }
  const { hostForget: answer } = await connect(flags).request<{ hostForget: Done | HasClaims | Refusal }>(FORGET, variables)
  if (!('impact' in answer)) return refusedBy(answer)
  const { hosts, impact, unchanged } = answer
  const named = hosts.map(nameOf).join(', ')
  if (unchanged) return { lines: wrap(`${named}: forgotten before; nothing was changed.`), json: answer }
  const lines = [
    ...wrap(yes ? `Forgotten: ${named}.` : `Nothing was changed. This would forget ${named}.`),
    ...impactLines(impact, yes ? 'ended REVOKED' : 'would end REVOKED', yes ? 'It is off the lists of' : 'It would leave'),
    ...(yes
      ? []
      : [impact.claimCount === 0 ? 'Say --yes to do it.' : `Say --claims ${impact.claimCount} --yes to end these and no others.`]),
  ]
  return { lines, json: answer }
}

async function readmitHost(name: string, { reason, ...flags }: Flags & { readonly reason: string }): Promise<Result> {
  const variables = { host: toHostName(name), reason }
  const { hostReadmit: answer } = await connect(flags).request<{ hostReadmit: Omit<Done, 'impact'> | Refusal }>(READMIT, variables)
  if (!('hosts' in answer)) throw toRefusal(answer)
  const lines = answer.unchanged
    ? [`Reports of ${name} are taken already; nothing was changed.`]
    : [`Reports of ${name} are taken again. It is there with its next full report.`]
  return { lines, json: answer }
}

async function replaceHost(name: string, by: string, { reason, yes, ...flags }: Flags): Promise<Result> {
  const variables = { host: toHostName(name), by: toHostName(by), reason: reasonOf(reason, yes), dryRun: yes !== true }
  const { hostReplace: answer } = await connect(flags).request<{
    hostReplace: (Done & { readonly merged: readonly HostName[] }) | HasClaims | Refusal
  }>(REPLACE, variables)
  if (!('impact' in answer)) return refusedBy(answer)
  const { impact, merged, unchanged } = answer
  if (unchanged) return { lines: [`${name} is called ${by} already; nothing was changed.`], json: answer }
  const lines = [
    ...wrap(yes ? `${name} is called ${by} now.` : `Nothing was changed. This would call ${name} ${by}.`),
    ...merged.flatMap((host) => wrap(`${nameOf(host)} has reported already: its report ${yes ? 'is' : 'would be'} that of the one host.`)),
    ...impactLines(impact, yes ? 'followed' : 'would follow', yes ? 'Renamed in' : 'It would be renamed in'),
    ...(yes ? [] : ['Say --yes to do it.']),
  ]
  return { lines, json: answer }
}

/** A refusal, and the claims that are in the way where there are any. */
function refusedBy(answer: HasClaims | Refusal): Result {
  const refusal = toRefusal(answer)
  if (!('claims' in answer)) throw refusal
  return { lines: [...wrap(refusal.message), '', ...claimLines(answer.claims, answer.claimCount)], json: answer, exitCode: EXIT.refused }
}

const impactLines = ({ claimCount, claims, aggregates, serverGroups }: Done['impact'], become: string, lists: string): string[] => [
  ...(claimCount === 0 ? ['No claim is on it.'] : [`${counted(claimCount, 'claim')} ${become}:`, ...claimLines(claims, claimCount)]),
  ...(aggregates.length === 0 ? [] : wrap(`${lists} ${aggregates.join(', ')}.`)),
  ...(serverGroups.length === 0 ? [] : wrap(`Server groups concerned: ${serverGroups.join(', ')}.`)),
]

const claimLines = (claims: readonly ClaimOnHost[], count: number): string[] => [
  ...toTable(
    [{ head: 'claim', key: true }, { head: 'instance', cut: 'middle' }, { head: 'state' }, { head: 'account', cut: 'end' }],
    claims.map(({ id, instanceUuid, state, account }) => [shortId(id), instanceUuid ?? '-', state, account]),
  ),
  ...(count > claims.length ? [`and ${count - claims.length} more`] : []),
]
