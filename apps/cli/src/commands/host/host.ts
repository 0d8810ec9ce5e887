import { graphql } from '@gantt/client'
import type { Command } from 'commander'
import { type ConnectionFlags, connect } from '../../call/connection.ts'
import { notFound, REFUSAL, toRefusal } from '../../call/failure.ts'
import { toHostName } from '../../options/host-name.ts'
import { type MomentFlags, nowOf, pastLines, stateAt, withMoment } from '../../options/moment.ts'
import { reasonOf } from '../../options/reason.ts'
import { oneOf } from '../../options/values.ts'
import { GANTT } from '../../output/called.ts'
import { type Result, run, withExamples, withService } from '../../output/output.ts'
import { toTable } from '../../output/table.ts'
import { addEvacuate } from './evacuate.ts'
import { HOST_STATUSES, type HostStatus, nameOf, notEmpty } from './hosts.ts'
import { addLeaving } from './leaving.ts'
import { addSetAllocation } from './set-allocation.ts'
import { HOST, impactText, toLines } from './show-lines.ts'

interface Flags extends ConnectionFlags, MomentFlags {
  readonly node?: string
  readonly json?: true
}

interface StatusFlags extends ConnectionFlags {
  readonly status: HostStatus
  readonly reason?: string
  readonly dryRun?: true
  readonly json?: true
}

const USED_FROM = ['REPORT', 'CLAIMS'] as const

interface UsedFromFlags extends ConnectionFlags {
  readonly from: (typeof USED_FROM)[number]
  readonly reason?: string
  readonly dryRun?: true
  readonly json?: true
}

const SET_STATUS = graphql(
  `mutation SetStatus($hosts: [ResourceNameInput!]!, $status: HostStatus!, $reason: String!, $dryRun: Boolean!) {
  hostSetStatus(hosts: $hosts, status: $status, reason: $reason, dryRun: $dryRun) {
    __typename
    ... on HostSetStatusPayload {
      dryRun
      hosts { name node hasOtherNodes status statusReason }
      impact { hostsAffected claimsOnAffectedHosts warnings }
    }
    ...Refusal
  }
}`,
  [REFUSAL],
)

const SET_USED_FROM = graphql(
  `mutation SetUsedFrom($hosts: [ResourceNameInput!]!, $usedFrom: UsedFrom!, $reason: String!, $dryRun: Boolean!) {
  hostSetUsedFrom(hosts: $hosts, usedFrom: $usedFrom, reason: $reason, dryRun: $dryRun) {
    __typename
    ... on HostSetUsedFromPayload {
      dryRun
      hosts { name node hasOtherNodes usedFrom usedFromReason }
      impact { hostsAffected claimsOnAffectedHosts warnings }
    }
    ...Refusal
  }
}`,
  [REFUSAL],
)

/**
 * `gantt host show|set-status|set-used-from|set-allocation|evacuate|forget|readmit|replace`: the state of one host, whether hosts accept
 * new instances, moving their claims, and removing or renaming hosts.
 */
export function addHost(program: Command): void {
  const host = program.command('host').description('show, disable, evacuate, remove or rename hosts')
  const show = withMoment(host.command('show'))
    .description('show a host: how its capacity is computed, its NUMA cells, GPUs, aggregates and claims')
    .argument('<host>', 'name of the host, HOST or HOST/NODE')
    .option('--node <name>', 'name of the node, if the host has several nodes', notEmpty)
    .action((name: string, flags: Flags) => run(flags, () => showHost(name, flags)))
  withExamples(withService(show), [
    ['gantt host show rack1-a', 'show one host'],
    ['gantt host show rack1-a --at 09:14', 'show a host as it was at 09:14 today'],
  ])

  const setStatus = host
    .command('set-status')
    .description('enable hosts for new instances, or disable them; running instances stay')
    .argument('<host...>', 'names of the hosts, HOST or HOST/NODE')
    .requiredOption('--status <status>', HOST_STATUSES.join(', '), oneOf(HOST_STATUSES))
    .option('--reason <text>', 'reason for the change, recorded in the audit; not required with --dry-run', notEmpty)
    .option('--dry-run', 'change nothing; show which hosts and claims the change would affect')
    .action((names: readonly string[], flags: StatusFlags) => run(flags, () => setStatusOf(names, flags)))
  withExamples(withService(setStatus), [
    ['gantt host set-status rack1-a --status DISABLED --reason "fan broken"', 'disable a host: it gets no new instances'],
    ['gantt host set-status rack1-a rack1-b --status MAINTENANCE --dry-run', 'show which hosts and claims a change would affect'],
  ])
  const setUsedFrom = host
    .command('set-used-from')
    .description(
      'set the source of the used amounts of hosts: REPORT (their reports) or CLAIMS; CLAIMS is for hosts that do not list their instances',
    )
    .argument('<host...>', 'names of the hosts, HOST or HOST/NODE')
    .requiredOption('--from <source>', USED_FROM.join(', '), oneOf(USED_FROM))
    .option('--reason <text>', 'reason for the change, recorded in the audit; not required with --dry-run', notEmpty)
    .option('--dry-run', 'change nothing; show the free amounts after the change')
    .action((names: readonly string[], flags: UsedFromFlags) => run(flags, () => setUsedFromOf(names, flags)))
  withExamples(withService(setUsedFrom), [
    ['gantt host set-used-from rack1-a --from CLAIMS --dry-run', 'show what would be free if the usage were that of the claims'],
    [
      'gantt host set-used-from rack1-a --from REPORT --reason "its agent lists instances now"',
      'use the usage in the host’s reports again',
    ],
  ])
  addSetAllocation(host)
  addEvacuate(host)
  addLeaving(host)
}

async function showHost(name: string, { node, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const { host } = await client.request(HOST, {
    ...named(name, node),
    at: past?.revision,
  })
  if (host === null && past !== null) throw notFound(`no host ${JSON.stringify(name)} had reported by revision ${past.revision}`)
  if (host === null) throw notFound(`no host ${JSON.stringify(name)} has reported; "${GANTT} hosts" lists those that have`)
  return { lines: [...pastLines(past), ...toLines(host, nowOf(past))], json: { ...(past !== null && { asOf: past }), ...host } }
}

/** Converts the host argument and the value of --node to variables of `Query.host`. */
function named(text: string, given: string | undefined) {
  const { host, node } = toHostName(text, given)
  return { name: host, node }
}

async function setStatusOf(names: readonly string[], { status, reason, dryRun, ...flags }: StatusFlags): Promise<Result> {
  const variables = {
    hosts: names.map((name) => toHostName(name)),
    status,
    reason: reasonOf(reason, dryRun === true),
    dryRun: dryRun === true,
  }
  const { hostSetStatus: answer } = await connect(flags).request(SET_STATUS, variables)
  if (!('impact' in answer)) throw toRefusal(answer)
  const { hosts, impact } = answer
  const table = toTable(
    [{ head: 'host', cut: 'middle', key: true }, { head: 'status' }, { head: 'reason', wraps: true }],
    hosts.map((host) => [nameOf(host), host.status, reasonShown(reason, host.statusReason)]),
  )
  const lines = [...table, '', impactText(answer), ...impact.warnings.map((warning) => `Warning: ${warning}`)]
  return { lines, json: answer }
}

async function setUsedFromOf(names: readonly string[], { from, reason, dryRun, ...flags }: UsedFromFlags): Promise<Result> {
  const variables = {
    hosts: names.map((name) => toHostName(name)),
    usedFrom: from,
    reason: reasonOf(reason, dryRun === true),
    dryRun: dryRun === true,
  }
  const { hostSetUsedFrom: answer } = await connect(flags).request(SET_USED_FROM, variables)
  if (!('impact' in answer)) throw toRefusal(answer)
  const { hosts, impact } = answer
  const table = toTable(
    [{ head: 'host', cut: 'middle', key: true }, { head: 'used from' }, { head: 'reason', wraps: true }],
    hosts.map((host) => [nameOf(host), host.usedFrom, reasonShown(reason, host.usedFromReason)]),
  )
  const lines = [...table, '', impactText(answer), ...impact.warnings]
  return { lines, json: answer }
}

/** The reason as the service stored it. "-" for a preview without a reason. */
const reasonShown = (stated: string | undefined, kept: string | null): string => (stated === undefined ? '-' : (kept ?? '-'))
