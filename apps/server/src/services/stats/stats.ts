import {
  type Claim,
  COMPUTE,
  classExcessOf,
  type Fleet,
  freedClassesOf,
  type HostReported,
  type HostWarning,
  hostKey,
  MAX_CLASSES,
  MAX_OWN_CLASSES,
  MAX_OWN_IN_RESERVE,
  newClassesOf,
  ownClassesOf,
  presentHosts,
  quote,
  RESERVED_CLASSES,
  type Void,
  warningsOf,
} from '@gantt/scheduler-core'
import { mapYielding } from '../../event-loop/lists.ts'
import type { Documents } from '../../plugin/outside/documents.ts'
import type { Replica } from '../../replica/replica.ts'
import { type Failure, InputFault, type Invalid, type Issue, invalid, issue } from '../calls/outcome.ts'
import { type HostView, viewHost } from '../host/host-view.ts'
import { withDocuments } from './namespace-report.ts'
import { readReport } from './read-report.ts'
import type { Report, ReportInput } from './report-input.ts'
import { hasChangesSince, lookAt } from './report-news.ts'

export const MAX_UPDATES = 1_000

export interface ReportApplied {
  readonly type: 'applied'
  readonly host: HostView
  readonly revision: number
  readonly materialised: readonly Claim[]
  /** The sequence of the host's last report in the log. The next delta must refer to this sequence. */
  readonly loggedSequence: number
  /** True if nothing was written, because the report had no new content. */
  readonly unchanged: boolean
  /** Fields of a Nova document that this release does not know. */
  readonly ignored: readonly string[]
  /** Impossible values in the report, or values that contradict the claims on the host. */
  readonly warnings: readonly HostWarning[]
}

export interface ReportStale extends Failure {
  readonly type: 'stale'
  readonly lastSequence: number
}

export interface ReportNeedsFull extends Failure {
  readonly type: 'needs-full'
  readonly lastSequence: number | null
}

export type ReportOutcome = ReportApplied | ReportStale | ReportNeedsFull | Invalid

/** The limits of a key that is bound to hosts. */
export interface ReportLimits {
  readonly maxNodes: number
  /** The names of the hosts to which the key is bound. */
  readonly hosts: readonly string[]
}

export interface Stats {
  /**
   * Updates hosts from reports. Result i is for report i. Throws CallerGoneError if the caller disconnects while the reports are read, and
   * writes nothing in this case. Throws InputFault if there are no reports or more than 1000. A report of a new node is refused if the host
   * has `maxNodes` nodes, including nodes that other calls of this replica are about to add. A report is also refused if it adds resource
   * classes, and the hosts of the key then have too many that no other host has.
   */
  update(
    reports: readonly ReportInput[],
    limits?: ReportLimits,
  ): Promise<{ readonly results: readonly ReportOutcome[]; readonly revision: number }>
}

export function createStats(replica: Replica, documents: Documents): Stats {
  /** How many reports of each host are being written. Meanwhile, reports of the host are written without a comparison with the fleet. */
  const underway = new Map<string, number>()
  const count = (keys: readonly string[], by: 1 | -1): void => {
    for (const key of keys) {
      const next = (underway.get(key) ?? 0) + by
      if (next > 0) underway.set(key, next)
      else underway.delete(key)
    }
  }

  const joining = createJoining(replica)

  return {
    async update(reports, limits) {
      if (reports.length < 1 || reports.length > MAX_UPDATES)
        throw InputFault.at(['input', 'updates'], reports, `a list of 1 to ${MAX_UPDATES} reports`)
      const read = await withDocuments(
        documents,
        await mapYielding(reports, (report, i) => readReport(report, ['input', 'updates', String(i)], replica.fleet)),
      )
      const parsed = read.map((one) => ('issues' in one ? one.issues : one.report))
      const looked = await mapYielding(parsed, (report) =>
        Array.isArray(report) ? undefined : lookAt(replica.fleet, report, replica.storeTime),
      )
      const hasChanges = (report: Report, i: number): boolean =>
        refusalOf(replica, report) === undefined && hasChangesSince(replica.fleet, report, looked[i], replica.storeTime)
      // The fleet of this replica can lag behind the log. If a report seems to be unchanged, refused or beyond the limit of nodes, this
      // must therefore be checked again on a fleet as new as the log.
      const isLimited = (report: Report): boolean =>
        limits !== undefined && (joining.isNew(report) || addedBy(replica.fleet, report).length > 0)
      if (parsed.some((report, i) => !Array.isArray(report) && (isLimited(report) || !hasChanges(report, i)))) await replica.fresh()
      const joined = new Set<Report>()
      const limit = createKeyLimit(replica, limits, joining, joined)
      const tooMany = parsed.map((report, i) => (Array.isArray(report) ? undefined : limit(report, ['input', 'updates', String(i)])))
      const met = new Set<string>()
      const written = parsed.map((report, i) => {
        if (Array.isArray(report) || tooMany[i] !== undefined) return false
        const key = keyOf(report)
        const isWritten = met.has(key) || underway.has(key) || hasChanges(report, i)
        if (isWritten) met.add(key)
        return isWritten
      })
      const known = parsed.map((report) => (Array.isArray(report) ? undefined : refusalOf(replica, report)))
      const changes = parsed.filter((report, i): report is Report => written[i] === true && !Array.isArray(report))
      const keys = changes.map(keyOf)
      count(keys, 1)
      const verdicts = await replica.propose(changes).finally(() => {
        count(keys, -1)
        for (const report of joined) joining.remove(report)
      })
      let next = 0
      const results = parsed.map((report, i): ReportOutcome => {
        if (Array.isArray(report)) return invalid(report)
        const excess = tooMany[i]
        if (excess !== undefined) return excess
        const refusal = known[i]
        const verdict = written[i] ? verdicts[next++] : refusal && { void: refusal, revision: replica.fleet.place.revision }
        const outcome = outcomeOf(replica, report, ['input', 'updates', String(i)], verdict)
        return outcome.type === 'applied' ? { ignored: read[i]?.ignored ?? [], ...outcome } : outcome
      })
      return { results, revision: replica.fleet.place.revision }
    },
  }
}

/**
 * Returns a function that refuses a report that exceeds the limits of the key. A report of a new node that is not refused is added to
 * `joining` and `joined`.
 */
function createKeyLimit(
  replica: Pick<Replica, 'fleet'>,
  limits: ReportLimits | undefined,
  joining: ReturnType<typeof createJoining>,
  joined: Set<Report>,
) {
  const classLimit = createClassLimit(replica, limits)
  return (report: Report, path: readonly string[]): Invalid | undefined => {
    const ofClasses = classLimit(report, [...path, 'report'])
    if (ofClasses !== undefined || !joining.isNew(report)) return ofClasses
    const found = joining.countOf(report)
    if (limits !== undefined && found >= limits.maxNodes && !joining.has(report))
      return invalid([oneNodeTooMany(report, found, limits.maxNodes, path)], 'FORBIDDEN')
    joining.add(report)
    joined.add(report)
    return undefined
  }
}

/** The resource classes that a report adds to the fleet. */
const addedBy = ({ hosts }: Fleet, report: Report): readonly string[] =>
  report.type === 'report' && report.full !== undefined ? newClassesOf(hosts, report.full).added : []

/**
 * Returns a function that refuses a report that adds resource classes, if the hosts of the key then have too many that no other host has.
 * The classes that earlier reports of the call add are counted. The log itself limits the classes of each host.
 */
function createClassLimit({ fleet }: Pick<Replica, 'fleet'>, limits: ReportLimits | undefined) {
  const met = new Set<string>()
  return (report: Report, path: readonly string[]): Invalid | undefined => {
    if (limits === undefined || report.type !== 'report' || report.full === undefined) return undefined
    const added = addedBy(fleet, report)
    if (added.length === 0) return undefined
    const names = [...new Set([...limits.hosts, report.host])]
    const all = new Set([...met, ...added])
    const change = all.size - freedClassesOf(fleet.hosts, report, report.full)
    if (change > 0 && ownClassesOf(fleet.hosts, names) + change > MAX_OWN_CLASSES) return tooManyClasses(fleet, report, path, names, met)
    for (const one of added) met.add(one)
    return undefined
  }
}

/** The nodes that calls of this replica are about to add to the fleet. */
function createJoining(replica: Pick<Replica, 'fleet'>) {
  const byHost = new Map<string, Map<string, number>>()
  return {
    /** True if a report is about a node that is not in the fleet. */
    isNew: (report: Report): boolean =>
      report.type === 'report' &&
      report.full !== undefined &&
      replica.fleet.hosts.find(report) === undefined &&
      replica.fleet.hosts.refusesName(report) === undefined,
    has: ({ host, node }: Report): boolean => byHost.get(host)?.has(node) ?? false,
    /** How many nodes a host has, including nodes that calls are about to add. */
    countOf({ host }: Report): number {
      const coming = [...(byHost.get(host)?.keys() ?? [])].filter((node) => replica.fleet.hosts.find({ host, node }) === undefined)
      return replica.fleet.hosts.nodesOf(host).length + coming.length
    },
    add({ host, node }: Report): void {
      const nodes = byHost.get(host) ?? new Map<string, number>()
      byHost.set(host, nodes.set(node, (nodes.get(node) ?? 0) + 1))
    },
    remove({ host, node }: Report): void {
      const nodes = byHost.get(host)
      const calls = (nodes?.get(node) ?? 1) - 1
      if (calls > 0) nodes?.set(node, calls)
      else nodes?.delete(node)
      if (nodes?.size === 0) byHost.delete(host)
    },
  }
}

const oneNodeTooMany = ({ host, node }: Report, found: number, most: number, path: readonly string[]): Issue =>
  issue(
    [...path, 'name', 'node'],
    node,
    `be a node that is already in the fleet: ${quote(host)} has ${found}, and the key may report at most ${most} of a host`,
    'key.max_nodes',
  )

const keyOf = (report: Report): string =>
  JSON.stringify([report.host, report.node, report.type === 'namespace' ? report.namespace : COMPUTE])

/**
 * Predicts whether a report will be refused when it is applied. Undefined if no refusal is foreseen. On a fleet as new as the log, a
 * refusal is certain, because sequences only increase within an incarnation, and an earlier incarnation does not return. A report with too
 * many resource classes is refused here at every feature level, including those at which the log would accept it.
 */
function refusalOf({ fleet }: Replica, report: Report): Void {
  const left = fleet.hosts.refusesName(report)
  if (left !== undefined) return left
  const record = fleet.hosts.find(report)
  if (record === undefined && (report.type === 'namespace' || report.delta !== undefined)) return 'report.unknown_host'
  const reporter = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (reporter?.incarnation === report.incarnation && report.sequence <= reporter.sequence) return 'report.stale'
  if (report.type === 'namespace') return undefined
  if (report.full !== undefined) return classExcessOf(fleet.hosts, report, report.full) && 'report.too_many_classes'
  const isNext = reporter?.incarnation === report.incarnation && reporter.sequence === report.delta?.baseSequence
  return isNext ? undefined : 'report.gap'
}

/**
 * Refuses a report that adds resource classes, if these hosts or the fleet then have too many. `before` has the classes that earlier
 * reports of the call add.
 */
function tooManyClasses(
  { hosts }: Fleet,
  { full }: Pick<HostReported, 'full'>,
  path: readonly string[],
  names: readonly string[],
  before: ReadonlySet<string> = new Set(),
): Invalid {
  const classes = newClassesOf(hosts, { inventories: full?.inventories ?? [] })
  const added = classes.added.filter((resourceClass) => !before.has(resourceClass))
  const own = ownClassesOf(hosts, names) + before.size
  const earlier = before.size > 0 ? ', counting the earlier reports of this call' : ''
  const rule =
    'not add resource classes beyond what hosts may have besides VCPU, MEMORY_MB and DISK_GB: ' +
    `it adds ${added.length} to the ${classes.inUse + before.size} of the fleet, ` +
    `of which ${own} are on ${names.length === 1 ? 'this host' : "the key's hosts"} alone${earlier}. ` +
    `A fleet may have ${MAX_CLASSES}. A host, or all hosts of a bound key together, may have ${MAX_OWN_CLASSES} that no other host has. ` +
    `If the fleet would then have more than ${MAX_CLASSES - RESERVED_CLASSES}, a host may have only ${MAX_OWN_IN_RESERVE}. ` +
    'Send the report without the new classes, and its other values are applied. ' +
    'A class is free again when no host reports it and no claim holds any of it'
  return invalid([issue(path, added.join(', '), rule, 'report.too_many_classes')], 'PRECONDITION')
}

/** Refuses reports under the name of a host that left, and states why the host left. */
function leftOf(
  { hosts }: Fleet,
  { host, node }: Report,
  code: 'report.host_forgotten' | 'report.host_replaced',
  path: readonly string[],
): Invalid {
  const replacement = hosts.findRenamed({ host, node })
  // the report is about a new node of a host that was replaced with all its nodes
  const names = replacement === undefined ? presentHosts(hosts, [host]) : [hostKey(replacement)]
  const rule =
    code === 'report.host_replaced'
      ? `be the present name of the machine: the host was replaced and is called ${names.map((name) => quote(name)).join(' or ')} now`
      : 'be the name of a host in the fleet or of a new host: this host was forgotten, and an operator has to readmit it before it may report'
  return invalid([issue(path, host, rule, code)], 'PRECONDITION')
}

function outcomeOf(
  { fleet }: Replica,
  report: Report,
  path: readonly string[],
  verdict: { readonly void: Void; readonly revision: number } | undefined,
): Omit<ReportApplied, 'ignored'> | ReportStale | ReportNeedsFull | Invalid {
  if (verdict?.void === 'report.host_forgotten' || verdict?.void === 'report.host_replaced')
    return leftOf(fleet, report, verdict.void, [...path, 'name', 'host'])
  if (verdict?.void === 'report.too_many_classes' && report.type === 'report')
    return tooManyClasses(fleet, report, [...path, 'report'], [report.host])
  const record = fleet.hosts.find(report)
  const reporter = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  const lastSequence = reporter?.sequence ?? null
  if (record === undefined || verdict?.void === 'report.unknown_host' || verdict?.void === 'report.gap')
    return {
      type: 'needs-full',
      code: 'STALE',
      message:
        lastSequence === null
          ? 'The host has never sent a full report; send one.'
          : `The delta does not follow the last report in the log, sequence ${lastSequence}; send a full report, or a delta on that one.`,
      path: [...path, 'report'],
      lastSequence,
    }
  if (verdict?.void !== undefined)
    return {
      type: 'stale',
      code: 'STALE',
      message:
        reporter?.incarnation === report.incarnation
          ? `Sequence ${report.sequence} is not newer than the last report in the log, ${lastSequence}; nothing is lost by dropping it.`
          : `Another incarnation has reported since, last with sequence ${lastSequence}, so reports of this one are ignored; if this program reports the host, draw a new incarnation.`,
      path: [...path, 'reporter', 'sequence'],
      lastSequence: lastSequence ?? 0,
    }
  return {
    type: 'applied',
    host: viewHost(fleet, record),
    revision: verdict?.revision ?? record.revision,
    materialised: [...record.claims].filter(({ state, revision }) => state === 'MATERIALISED' && revision === verdict?.revision),
    loggedSequence: lastSequence ?? report.sequence,
    unchanged: verdict === undefined,
    // a document of a namespace can cause only warnings about resources that hosts share
    warnings: warningsOf(fleet, record).filter(({ isShared }) => report.type === 'report' || isShared === true),
  }
}
