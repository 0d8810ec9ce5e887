import type { Command } from 'commander'
import { GANTT } from './called.ts'
import { CLAIM } from './claim-rows.ts'
import { type ConnectionFlags, connect } from './connection.ts'
import { addEvacuate } from './evacuate.ts'
import { notThere, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { addSetAllocation } from './host-allocation.ts'
import { addLeaving } from './host-leaving.ts'
import { type HostDetail, impactText, toLines } from './host-lines.ts'
import { toHostName } from './host-name.ts'
import { HOST_STATUSES, type HostStatus, nameOf, notEmpty } from './hosts.ts'
import { type MomentFlags, nowOf, pastLines, stateAt, withMoment } from './moment.ts'
import { oneOf } from './options.ts'
import { type Result, run, withExamples, withService } from './output.ts'
import { toTable } from './table.ts'
import { ORIGIN, USAGE } from './usage.ts'

interface Flags extends ConnectionFlags, MomentFlags {
  readonly node?: string
  readonly json?: true
}

interface StatusFlags extends ConnectionFlags {
  readonly status: HostStatus
  readonly reason: string
  readonly dryRun?: true
  readonly json?: true
}

const USED_FROM = ['REPORT', 'CLAIMS'] as const

interface UsedFromFlags extends ConnectionFlags {
  readonly from: (typeof USED_FROM)[number]
  readonly reason: string
  readonly dryRun?: true
  readonly json?: true
}

interface UsedFromSet {
  readonly __typename: 'HostSetUsedFromPayload'
  readonly dryRun: boolean
  readonly hosts: readonly {
    readonly name: string
    readonly node: string
    readonly usedFrom: string
    readonly usedFromReason: string | null
  }[]
  readonly impact: { readonly hostsAffected: number; readonly claimsOnAffectedHosts: number; readonly warnings: readonly string[] }
}

interface StatusSet {
  readonly __typename: 'HostSetStatusPayload'
  readonly dryRun: boolean
  readonly hosts: readonly { readonly name: string; readonly node: string; readonly status: string; readonly statusReason: string | null }[]
  readonly impact: { readonly hostsAffected: number; readonly claimsOnAffectedHosts: number; readonly warnings: readonly string[] }
}

const HOST = `query Host($name: String!, $node: String, $at: Moment) {
  host(name: $name, node: $node, at: $at) {
    gone { at reason readmitted } formerNames
    name node hasOtherNodes availabilityZone status statusReason state stateReason lastReportAt runningVms traits
    usedFrom usedFromReason warnings { code subject reported held text }
    told { label value }
    capacity { ${USAGE} ${ORIGIN} }
    numa { cells { id cpus cpusFree pinned memoryMb memoryUsedMb memoryFreeMb } }
    gpus { index model freeMilli }
    namespaces { namespace version ageSeconds lastSequence problem }
    aggregates(first: 100) { nodes { uuid name } }
    claims(first: 100, states: [RESERVED, CONFIRMED, MATERIALISED]) { totalCount nodes { ${CLAIM} } }
  }
}`

const SET_STATUS = `mutation SetStatus($hosts: [ResourceNameInput!]!, $status: HostStatus!, $reason: String!, $dryRun: Boolean!) {
  hostSetStatus(hosts: $hosts, status: $status, reason: $reason, dryRun: $dryRun) {
    __typename
    ... on HostSetStatusPayload {
      dryRun
      hosts { name node hasOtherNodes status statusReason }
      impact { hostsAffected claimsOnAffectedHosts warnings }
    }
    ${REFUSAL}
  }
}`

const SET_USED_FROM = `mutation SetUsedFrom($hosts: [ResourceNameInput!]!, $usedFrom: UsedFrom!, $reason: String!, $dryRun: Boolean!) {
  hostSetUsedFrom(hosts: $hosts, usedFrom: $usedFrom, reason: $reason, dryRun: $dryRun) {
    __typename
    ... on HostSetUsedFromPayload {
      dryRun
      hosts { name node hasOtherNodes usedFrom usedFromReason }
      impact { hostsAffected claimsOnAffectedHosts warnings }
    }
    ${REFUSAL}
  }
}`

/** `gantt host show|set-status|set-used-from|set-allocation|evacuate|forget|readmit|replace`: one host as it is, whether hosts take anything new, what to do with what is there, and hosts that leave. */
export function addHost(program: Command): void {
  const host = program.command('host').description('look at one host; open hosts for new instances, close or empty them')
  const show = withMoment(host.command('show'))
    .description('what a host has: the arithmetic of its capacity, NUMA cells, GPUs, aggregates and claims')
    .argument('<host>', 'its name, HOST or HOST/NODE')
    .option('--node <name>', 'which node, of a host with many', notEmpty)
    .action((name: string, flags: Flags) => run(flags, () => showHost(name, flags)))
  withExamples(withService(show), [
    ['gantt host show rack1-a', 'one host'],
    ['gantt host show rack1-a --at 09:14', 'as it was this morning'],
  ])

  const setStatus = host
    .command('set-status')
    .description('open hosts for new instances, or close them; what runs there stays')
    .argument('<host...>', 'their names, HOST or HOST/NODE')
    .requiredOption('--status <status>', HOST_STATUSES.join(', '), oneOf(HOST_STATUSES))
    .requiredOption('--reason <text>', 'why, for those who ask later', notEmpty)
    .option('--dry-run', 'change nothing; tell what it would touch')
    .action((names: readonly string[], flags: StatusFlags) => run(flags, () => setStatusOf(names, flags)))
  withExamples(withService(setStatus), [
    ['gantt host set-status rack1-a --status DISABLED --reason "fan broken"', 'nothing new goes there'],
    ['gantt host set-status rack1-a rack1-b --status MAINTENANCE --reason "new kernel" --dry-run', 'what would it touch?'],
  ])
  const setUsedFrom = host
    .command('set-used-from')
    .description('say where the used amounts of hosts come from; claims are for hosts that do not list their instances')
    .argument('<host...>', 'their names, HOST or HOST/NODE')
    .requiredOption('--from <source>', USED_FROM.join(', '), oneOf(USED_FROM))
    .requiredOption('--reason <text>', 'why, for those who ask later', notEmpty)
    .option('--dry-run', 'change nothing; say what would be free')
    .action((names: readonly string[], flags: UsedFromFlags) => run(flags, () => setUsedFromOf(names, flags)))
  withExamples(withService(setUsedFrom), [
    ['gantt host set-used-from rack1-a --from CLAIMS --reason "its agent lists nothing" --dry-run', 'what would be free?'],
    ['gantt host set-used-from rack1-a --from REPORT --reason "its agent lists instances now"', 'count as it reports again'],
  ])
  addSetAllocation(host)
  addEvacuate(host)
  addLeaving(host)
}

async function showHost(name: string, { node, ...flags }: Flags): Promise<Result> {
  const client = connect(flags)
  const past = await stateAt(client, flags)
  const { host } = await client.request<{ host: HostDetail | null }>(HOST, {
    ...named(name, node),
    at: past?.revision,
  })
  if (host === null && past !== null) throw notThere(`no host ${JSON.stringify(name)} had reported by revision ${past.revision}`)
  if (host === null) throw notThere(`no host ${JSON.stringify(name)} has reported; "${GANTT} hosts" lists those that have`)
  return { lines: [...pastLines(past), ...toLines(host, nowOf(past))], json: { ...(past !== null && { asOf: past }), ...host } }
}

/** As `Query.host` takes it. */
function named(text: string, given: string | undefined) {
  const { host, node } = toHostName(text, given)
  return { name: host, node }
}

async function setStatusOf(names: readonly string[], { status, reason, dryRun, ...flags }: StatusFlags): Promise<Result> {
  const variables = { hosts: names.map((name) => toHostName(name)), status, reason, dryRun: dryRun === true }
  const { hostSetStatus: answer } = await connect(flags).request<{ hostSetStatus: StatusSet | Refusal }>(SET_STATUS, variables)
  if (!('impact' in answer)) throw toRefusal(answer)
  const { hosts, impact } = answer
  const table = toTable(
    [{ head: 'host', cut: 'middle', key: true }, { head: 'status' }, { head: 'reason', wraps: true }],
    hosts.map((host) => [nameOf(host), host.status, host.statusReason ?? '-']),
  )
  const lines = [...table, '', impactText(answer), ...impact.warnings.map((warning) => `Warning: ${warning}`)]
  return { lines, json: answer }
}

async function setUsedFromOf(names: readonly string[], { from, reason, dryRun, ...flags }: UsedFromFlags): Promise<Result> {
  const variables = { hosts: names.map((name) => toHostName(name)), usedFrom: from, reason, dryRun: dryRun === true }
  const { hostSetUsedFrom: answer } = await connect(flags).request<{ hostSetUsedFrom: UsedFromSet | Refusal }>(SET_USED_FROM, variables)
  if (!('impact' in answer)) throw toRefusal(answer)
  const { hosts, impact } = answer
  const table = toTable(
    [{ head: 'host', cut: 'middle', key: true }, { head: 'used from' }, { head: 'reason', wraps: true }],
    hosts.map((host) => [nameOf(host), host.usedFrom, host.usedFromReason ?? '-']),
  )
  const lines = [...table, '', impactText(answer), ...impact.warnings]
  return { lines, json: answer }
}
