import { graphql, type ResultOf } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { EXIT, REFUSAL, toRefusal } from '../../call/failure.ts'
import { toHostName } from '../../options/host-name.ts'
import { reasonOf } from '../../options/reason.ts'
import { wholeNumber } from '../../options/values.ts'
import { counted } from '../../output/format.ts'
import { shortId } from '../../output/ids.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable, wrap } from '../../output/table.ts'
import { nameOf, notEmpty } from './hosts.ts'

interface Flags extends ConnectionFlags {
  readonly reason?: string
  readonly yes?: true
  readonly json?: true
}

interface ForgetFlags extends Flags {
  readonly claims?: number
  readonly force?: true
}

const FORGET = graphql(
  `mutation HostForget($hosts: [ResourceNameInput!]!, $force: Boolean!, $expectedClaims: Int, $reason: String!, $dryRun: Boolean!) {
  hostForget(hosts: $hosts, force: $force, expectedClaims: $expectedClaims, reason: $reason, dryRun: $dryRun) {
    __typename ... on HostForgetPayload { hosts { name node hasOtherNodes } unchanged impact { claimCount claims { id instanceUuid state account } aggregates serverGroups } } ... on HostHasClaims { claimCount claims { id instanceUuid state account } } ...Refusal } }`,
  [REFUSAL],
)
const READMIT = graphql(
  `mutation HostReadmit($host: ResourceNameInput!, $reason: String!) { hostReadmit(host: $host, reason: $reason) {
    __typename ... on HostReadmitPayload { hosts { name node hasOtherNodes } unchanged } ...Refusal } }`,
  [REFUSAL],
)
const REPLACE = graphql(
  `mutation HostReplace($host: ResourceNameInput!, $by: ResourceNameInput!, $reason: String!, $dryRun: Boolean!) {
  hostReplace(host: $host, by: $by, reason: $reason, dryRun: $dryRun) {
    __typename ... on HostReplacePayload { hosts { name node hasOtherNodes } unchanged impact { claimCount claims { id instanceUuid state account } aggregates serverGroups } merged { name node hasOtherNodes } } ... on HostHasClaims { claimCount claims { id instanceUuid state account } } ...Refusal } }`,
  [REFUSAL],
)

type Impact = Extract<ResultOf<typeof FORGET>['hostForget'], { readonly __typename: 'HostForgetPayload' }>['impact']
type NotDone = Exclude<ResultOf<typeof REPLACE>['hostReplace'], { readonly __typename: 'HostReplacePayload' }>

/** `gantt host forget|readmit|replace`: hosts that leave the fleet, return, or get another name. */
export function addLeaving(host: Command): void {
  const forget = host
    .command('forget')
    .description(
      'remove hosts from the fleet, either all given hosts or none; their history is kept. Without --yes, only show the claims and memberships that would end',
    )
    .argument('<host...>', 'names of the hosts, HOST or HOST/NODE; HOST removes all nodes of the host')
    .option('--reason <text>', 'reason for the change, recorded in the audit; required with --yes', notEmpty)
    .option('--force', 'remove the hosts even if they have live claims, which then become REVOKED')
    .option(
      '--claims <n>',
      'remove the hosts only if they have exactly this many live claims, the number that is shown without --yes',
      wholeNumber(0, 9_999_999),
    )
    .option('--yes', 'remove the hosts; without this option, nothing is changed')
    .action((names: readonly string[], flags: ForgetFlags) => run(flags, () => forgetHosts(names, flags)))
  withExamples(withService(forget), [
    ['gantt host forget rack1-a', 'show which claims would end'],
    ['gantt host forget rack1-a --reason "scrapped" --yes', 'forget a host: reports under its name are refused from now on'],
    ['gantt host forget rack1-a --reason "burnt" --force --claims 12 --yes', 'forget a host and end its claims, only if it has exactly 12'],
  ])
  const readmit = host
    .command('readmit')
    .description('accept reports again under the name of a host that was forgotten or replaced')
    .argument('<host>', 'name of the host, HOST or HOST/NODE')
    .requiredOption('--reason <text>', 'reason for the change, recorded in the audit', notEmpty)
    .action((name: string, flags: Flags & { readonly reason: string }) => run(flags, () => readmitHost(name, flags)))
  withExamples(withService(readmit), [
    ['gantt host readmit rack1-a --reason "repaired"', 'let a forgotten host return with its next full report'],
  ])
  const replace = host
    .command('replace')
    .description(
      'rename a host; its claims, server groups, aggregates and API keys stay valid. Without --yes, only show what would move to the new name',
    )
    .argument('<host>', 'present name of the host, HOST or HOST/NODE')
    .argument('<by>', 'new name of the host')
    .option('--reason <text>', 'reason for the change, recorded in the audit; required with --yes', notEmpty)
    .option('--yes', 'rename the host; without this option, nothing is changed')
    .action((name: string, by: string, flags: Flags) => run(flags, () => replaceHost(name, by, flags)))
  withExamples(withService(replace), [
    ['gantt host replace rack1-a rack7-a', 'show what would move to the new name'],
    ['gantt host replace rack1-a rack7-a --reason "moved to rack 7" --yes', 'rename a host, even if its agent already reports as rack7-a'],
  ])
}

async function forgetHosts(names: readonly string[], { force, claims, reason, yes, ...flags }: ForgetFlags): Promise<Result> {
  const variables = {
    ...{
      hosts: names.map((name) => toHostName(name)),
      force: force === true,
      reason: reasonOf(reason, yes !== true, 'with --yes'),
      dryRun: yes !== true,
    },
    expectedClaims: claims ?? null,
  }
  const { hostForget: answer } = await connect(flags).request(FORGET, variables)
  if (!('impact' in answer)) return refusedBy(answer)
  const { hosts, impact, unchanged } = answer
  const named = hosts.map(nameOf).join(', ')
  if (unchanged) return { lines: wrap(`${named}: already forgotten; nothing was changed.`), json: answer }
  const lines = [
    ...wrap(yes ? `Forgotten: ${named}.` : `Nothing was changed. This would forget ${named}.`),
    ...impactLines(
      impact,
      yes ? 'ended REVOKED' : 'would end REVOKED',
      `${hosts.length === 1 ? 'The host' : 'The hosts'} ${yes ? 'left' : 'would leave'} these aggregates`,
    ),
    ...(yes
      ? []
      : [
          impact.claimCount === 0
            ? `Add --yes to forget the ${hosts.length === 1 ? 'host' : 'hosts'}.`
            : `Add --claims ${impact.claimCount} --yes to end these and no others.`,
        ]),
  ]
  return { lines, json: answer }
}

async function readmitHost(name: string, { reason, ...flags }: Flags & { readonly reason: string }): Promise<Result> {
  const variables = { host: toHostName(name), reason }
  const { hostReadmit: answer } = await connect(flags).request(READMIT, variables)
  if (!('hosts' in answer)) throw toRefusal(answer)
  const lines = answer.unchanged
    ? [`Reports of ${name} are already accepted; nothing was changed.`]
    : [`Reports of ${name} are accepted again.`, 'The host returns with its next full report.']
  return { lines, json: answer }
}

async function replaceHost(name: string, by: string, { reason, yes, ...flags }: Flags): Promise<Result> {
  const variables = {
    host: toHostName(name),
    by: toHostName(by),
    reason: reasonOf(reason, yes !== true, 'with --yes'),
    dryRun: yes !== true,
  }
  const { hostReplace: answer } = await connect(flags).request(REPLACE, variables)
  if (!('impact' in answer)) return refusedBy(answer)
  const { impact, merged, unchanged } = answer
  if (unchanged) return { lines: [`${name} is already called ${by}; nothing was changed.`], json: answer }
  const lines = [
    ...wrap(yes ? `${name} is now called ${by}.` : `Nothing was changed. This would rename ${name} to ${by}.`),
    ...merged.map(nameOf).flatMap((other) => {
      const both = `${name} and ${other} ${yes ? 'are' : 'would be'} merged into one host`
      return wrap(`${other} has already reported: ${both}, with the report of ${other}.`)
    }),
    ...impactLines(impact, yes ? 'followed' : 'would follow', `The host ${yes ? 'has' : 'would have'} the new name in these aggregates`),
    ...(yes ? [] : ['Add --yes to rename the host.']),
  ]
  return { lines, json: answer }
}

/** A refusal, with the claims that prevent the change if there are any. */
function refusedBy(answer: NotDone): Result {
  const refusal = toRefusal(answer)
  if (!('claims' in answer)) throw refusal
  return { lines: [...wrap(refusal.message), '', ...claimLines(answer.claims, answer.claimCount)], json: answer, exitCode: EXIT.refused }
}

const impactLines = ({ claimCount, claims, aggregates, serverGroups }: Impact, become: string, lists: string): string[] => [
  ...(claimCount === 0 ? ['No claim is affected.'] : [`${counted(claimCount, 'claim')} ${become}:`, ...claimLines(claims, claimCount)]),
  ...(aggregates.length === 0 ? [] : wrap(`${lists}: ${aggregates.join(', ')}.`)),
  ...(serverGroups.length === 0 ? [] : wrap(`Affected server groups: ${serverGroups.join(', ')}.`)),
]

const claimLines = (claims: Impact['claims'], count: number): string[] => [
  ...toTable(
    [{ head: 'claim', key: true }, { head: 'instance', cut: 'middle' }, { head: 'state' }, { head: 'account', cut: 'end' }],
    claims.map(({ id, instanceUuid, state, account }) => [shortId(id), instanceUuid ?? '-', state, account]),
  ),
  ...(count > claims.length ? [`and ${count - claims.length} more`] : []),
]
