import { graphql, type ResultOf } from '@gantt/client'
import { GANTT } from '../../output/called.ts'
import { age, counted, decimal, mibPair, ranges } from '../../output/format.ts'
import { toPairs, toTable, wrap } from '../../output/table.ts'
import { CLAIM, toClaimTable } from '../claim/rows.ts'
import { nameOf } from './hosts.ts'
import { ORIGIN, type OriginedUsage, originText, USAGE, type Usage } from './usage.ts'

/** A sentence with the counts of hosts and claims that an edit affects. */
export const impactText = ({
  dryRun,
  impact: { hostsAffected, claimsOnAffectedHosts },
}: {
  readonly dryRun: boolean
  readonly impact: { readonly hostsAffected: number; readonly claimsOnAffectedHosts: number }
}): string =>
  `${dryRun ? 'Nothing was changed. The change would affect' : 'Changed'} ${counted(hostsAffected, 'host')} with ${counted(claimsOnAffectedHosts, 'claim')}.`

/** Everything that `gantt host show` shows of a host. */
export const HOST = graphql(
  `query Host($name: String!, $node: String, $at: Moment) {
  host(name: $name, node: $node, at: $at) {
    gone { at reason readmitted } formerNames
    name node hasOtherNodes availabilityZone status statusReason state stateReason lastReportAt runningVms traits
    usedFrom usedFromReason warnings { code subject reported held text }
    told { label value }
    capacity { ...Usage ...Origins }
    numa { cells { id cpus cpusFree pinned memoryMb memoryUsedMb memoryFreeMb } }
    gpus { index model freeMilli }
    namespaces { namespace version ageSeconds lastSequence problem }
    collectors { name namespace state intervalSeconds outdated reportedAt error { code message } }
    aggregates(first: 100) { nodes { uuid name } }
    claims(first: 100, states: [RESERVED, CONFIRMED, MATERIALISED]) { totalCount nodes { ...ClaimRow } }
  }
}`,
  [USAGE, ORIGIN, CLAIM],
)

type HostDetail = NonNullable<ResultOf<typeof HOST>['host']>
/** A report of another service about the host. */
type Reported = HostDetail['namespaces'][number]
type Cell = NonNullable<HostDetail['numa']>['cells'][number]

/** One host: its identity, capacity, NUMA cells, devices and claims. */
export function toLines(host: HostDetail, nowMs: number): readonly string[] {
  const { numa, gpus, namespaces, collectors, claims } = host
  return [
    ...toHead(host, nowMs),
    '',
    ...toCapacity(host.capacity),
    'free = floor((total - reserved) x ratio) - used - claimed',
    ...toOrigins(host.capacity),
    ...(numa === null || numa.cells.length === 0 ? [] : ['', 'NUMA cells', ...toCells(numa.cells)]),
    ...(gpus.length === 0 ? [] : ['', 'GPUs', ...toGpus(gpus)]),
    ...(namespaces.length + collectors.length === 0
      ? []
      : ['', 'reported by other services', ...toReported(namespaces, collectors, nowMs)]),
    ...(collectors.length === 0 ? [] : ['', 'collectors of the agent', ...toCollectors(collectors, nowMs)]),
    '',
    ...(claims.totalCount === 0 ? ['No claim holds resources.'] : [toClaimHead(host), ...toClaimTable(claims.nodes, nowMs)]),
  ]
}

function toClaimHead(host: HostDetail): string {
  const { totalCount, nodes } = host.claims
  return nodes.length === totalCount
    ? counted(totalCount, 'claim')
    : `${nodes.length} of ${totalCount} claims; all: ${GANTT} claims --host ${nameOf(host)} --all`
}

function toHead(host: HostDetail, nowMs: number): readonly string[] {
  const { told: reported } = host
  const ago = host.lastReportAt === null ? 'never' : `${age(host.lastReportAt, nowMs)} ago`
  return toPairs([
    ['host', nameOf(host)],
    ...(host.gone === null ? [] : [['forgotten', goneText(host.gone)] as const]),
    ...(host.formerNames.length === 0 ? [] : [['was called', host.formerNames.join(', ')] as const]),
    ['zone', host.availabilityZone],
    ['status', host.statusReason === null ? host.status : `${host.status}: ${host.statusReason}`],
    ['state', host.stateReason === null ? host.state : `${host.state}: ${host.stateReason}`],
    ['last report', ago],
    // a claim whose instance is not listed is counted as one instance until a report lists the instance
    ['instances', `${decimal(host.runningVms)} running or claimed`],
    ...(host.usedFrom === 'REPORT' ? [] : [['used amounts', `from claims: ${host.usedFromReason ?? ''}`] as const]),
    ...host.warnings.map(({ text }) => ['warning', text] as const),
    ...(reported.length === 0 ? [] : [['machine', reported.map(({ label, value }) => `${label} ${value}`).join(', ')] as const]),
    ['aggregates', host.aggregates.nodes.map(({ name }) => name).join(' ') || '-'],
    ...(host.traits.length === 0 ? [] : [['traits', host.traits.join(' ')] as const]),
  ])
}

const goneText = ({ at, reason, readmitted }: NonNullable<HostDetail['gone']>): string =>
  `${at}: ${reason}${readmitted ? '; readmitted; the next full report adds the host to the fleet again' : '; its reports are refused until it is readmitted'}`

const toCapacity = (capacity: readonly Usage[]): readonly string[] =>
  toTable(
    [
      { head: 'resource', cut: 'middle', least: 10 },
      ...['total', 'reserved', 'ratio', 'used', 'claimed', 'free'].map((head) => ({ head, align: 'right' }) as const),
    ],
    capacity.map(({ resourceClass, total, reserved, allocationRatio, used, claimed, free }) => [
      resourceClass,
      ...[total, reserved, allocationRatio, used, claimed, free].map(decimal),
    ]),
  )

/** A line for each ratio and reserved amount that does not come from the report: where it was set, and by whom. */
const toOrigins = (capacity: readonly OriginedUsage[]): readonly string[] =>
  capacity.flatMap(({ resourceClass, ratioFrom, reservedFrom }) =>
    [['ratio', ratioFrom] as const, ['reserved', reservedFrom] as const].flatMap(([what, origin]) =>
      origin.source === 'REPORT' || origin.source === 'NONE' ? [] : wrap(`${resourceClass} ${what}: ${originText(origin)}`),
    ),
  )

/** The documents of other services. Namespaces that a collector of the host did not send are listed too, as not sent. */
const toReported = (namespaces: readonly Reported[], collectors: HostDetail['collectors'], nowMs: number): readonly string[] =>
  toTable(
    [
      { head: 'namespace', cut: 'end', least: 10 },
      { head: 'version', cut: 'end' },
      { head: 'sequence', align: 'right' },
      { head: 'age', align: 'right' },
      { head: 'problem', wraps: true, least: 20 },
    ],
    [
      ...namespaces.map(({ namespace, version, lastSequence, ageSeconds, problem }) => [
        namespace,
        version,
        decimal(lastSequence),
        ageSeconds === null ? 'not known' : `${decimal(ageSeconds)} s`,
        problem ?? '-',
      ]),
      ...collectors
        .filter((collector) => collector.state !== 'SENDING' && !namespaces.some(({ namespace }) => namespace === collector.namespace))
        .map((collector) => [collector.namespace, '-', '-', 'not sent', `collector ${collector.name}: ${collectorText(collector, nowMs)}`]),
    ],
  )

const toCollectors = (collectors: HostDetail['collectors'], nowMs: number): readonly string[] =>
  toTable(
    [
      { head: 'collector', cut: 'end', least: 9 },
      { head: 'namespace', cut: 'end', least: 9 },
      { head: 'documents', wraps: true, least: 20 },
    ],
    collectors.map((collector) => [collector.name, collector.namespace, collectorText(collector, nowMs)]),
  )

/**
 * What a collector does now, or did when its agent last reported it. If it sends no documents, the text says "not sent", because the data
 * can exist on the host.
 */
function collectorText({ state, intervalSeconds, outdated, reportedAt, error }: HostDetail['collectors'][number], nowMs: number): string {
  const every = intervalSeconds === null ? '' : ` every ${decimal(intervalSeconds)} s`
  const texts = {
    WAITING: 'not run yet',
    SENDING: `sent${every}`,
    SLOWED: `sent only${every}: no profile in use reads them`,
    PAUSED: 'not sent: no profile in use reads them',
    FAILING: `failing, ${error?.code ?? 'unknown'}: ${error?.message ?? ''}`,
  }
  return `${texts[state]}${outdated ? ` (outdated: the agent reported this ${age(reportedAt, nowMs)} ago, and has not repeated it)` : ''}`
}

const toCells = (cells: readonly Cell[]): readonly string[] =>
  toTable(
    [
      { head: 'cell', align: 'right' },
      { head: 'cpus', cut: 'end' },
      { head: 'pinned', cut: 'end' },
      { head: 'cpus free', align: 'right' },
      { head: 'memory free', align: 'right' },
    ],
    cells.map(({ id, cpus, pinned, cpusFree, memoryFreeMb, memoryMb }) => [
      String(id),
      ranges(cpus),
      ranges(pinned),
      String(cpusFree),
      mibPair(memoryFreeMb, memoryMb),
    ]),
  )

/** Lines about a host's GPUs. GPUs of one model with the same free amount share a line, because a host can have many GPUs. */
function toGpus(gpus: HostDetail['gpus']): readonly string[] {
  const groups = new Map<string, { readonly model: string; readonly freeMilli: number; readonly indexes: number[] }>()
  for (const { index, model, freeMilli } of gpus) {
    const key = `${freeMilli} ${model}`
    const group = groups.get(key) ?? { model: model ?? '-', freeMilli, indexes: [] }
    group.indexes.push(index)
    groups.set(key, group)
  }
  return toTable(
    [
      { head: 'gpu', cut: 'end' },
      { head: 'model', cut: 'end' },
      { head: 'free share', align: 'right' },
    ],
    [...groups.values()].map(({ model, freeMilli, indexes }) => [ranges(indexes), model, `${freeMilli}/1000`]),
  )
}
