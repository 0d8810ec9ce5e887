import {
  addsTooManyClasses,
  type Claim,
  COMPUTE,
  type Fleet,
  type HostReported,
  type HostWarning,
  hostKey,
  MAX_CLASSES,
  newClassesOf,
  presentHosts,
  quote,
  type Void,
  warningsOf,
} from '@gantt/scheduler-core'
import { mapInPieces } from '../../event-loop/lists.ts'
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

export interface Stats {
  /**
   * Updates hosts from reports. Result i is for report i. Throws CallerGoneError if the caller disconnects while the reports are read, and
   * writes nothing in this case. Throws InputFault if there are no reports or more than 1000. A report of a new node is refused if the host
   * has `maxNodes` nodes, including nodes that other calls of this replica are about to add.
   */
  update(
    reports: readonly ReportInput[],
    limits?: { readonly maxNodes: number },
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
        await mapInPieces(reports, (report, i) => readReport(report, ['input', 'updates', String(i)], replica.fleet)),
      )
      const parsed = read.map((one) => ('issues' in one ? one.issues : one.report))
      const looked = await mapInPieces(parsed, (report) => (Array.isArray(report) ? undefined : lookAt(replica.fleet, report)))
      const hasChanges = (report: Report, i: number): boolean =>
        refusalOf(replica, report) === undefined && hasChangesSince(replica.fleet, report, looked[i])
      // The fleet of this replica can lag behind the log. If a report seems to be unchanged, refused or beyond the limit of nodes, this
      // must therefore be checked again on a fleet as new as the log.
      const isLimited = (report: Report): boolean => limits !== undefined && joining.isNew(report)
      if (parsed.some((report, i) => !Array.isArray(report) && (isLimited(report) || !hasChanges(report, i)))) await replica.fresh()
      const joined = new Set<Report>()
      const tooMany = parsed.map((report, i): Invalid | undefined => {
        if (Array.isArray(report) || !joining.isNew(report)) return undefined
        const found = joining.countOf(report)
        if (limits !== undefined && found >= limits.maxNodes && !joining.has(report))
          return invalid([oneNodeTooMany(report, found, limits.maxNodes, ['input', 'updates', String(i)])], 'FORBIDDEN')
        joining.add(report)
        joined.add(report)
        return undefined
      })
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
        return outcome.type === 'applied' ? { ...outcome, ignored: read[i]?.ignored ?? [] } : outcome
      })
      return { results, revision: replica.fleet.place.revision }
    },
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
    `be a node that is there already: ${quote(host)} has ${found}, and the key may report at most ${most} of a host`,
    'key.max_nodes',
  )

const keyOf = (report: Report): string =>
  JSON.stringify([report.host, report.node, report.type === 'namespace' ? report.namespace : COMPUTE])

/**
 * Predicts if a report will be refused when it is applied. Undefined if no refusal is foreseen. On a fleet as new as the log, a refusal is
 * certain, because sequences only increase within an incarnation, and an earlier incarnation does not return. A report with too many
 * resource classes is refused here at every feature level, also at those at which the log would accept it.
 */
function refusalOf({ fleet }: Replica, report: Report): Void {
  const left = fleet.hosts.refusesName(report)
  if (left !== undefined) return left
  const record = fleet.hosts.find(report)
  if (record === undefined && (report.type === 'namespace' || report.delta !== undefined)) return 'report.unknown_host'
  const reporter = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (reporter?.incarnation === report.incarnation && report.sequence <= reporter.sequence) return 'report.stale'
  if (report.type === 'namespace') return undefined
  if (report.full !== undefined) return addsTooManyClasses(fleet.hosts, report.full) ? 'report.too_many_classes' : undefined
  const isNext = reporter?.incarnation === report.incarnation && reporter.sequence === report.delta?.baseSequence
  return isNext ? undefined : 'report.gap'
}

/** Refuses a report that adds resource classes to a fleet that then has too many. */
function tooManyClasses({ hosts }: Fleet, { full }: Pick<HostReported, 'full'>, path: readonly string[]): Invalid {
  const { added, inUse } = newClassesOf(hosts, { inventories: full?.inventories ?? [] })
  const rule =
    `not add resource classes beyond the ${MAX_CLASSES} that a fleet may have besides VCPU, MEMORY_MB and DISK_GB: ` +
    `it adds ${added.length} to ${inUse}. Report classes that are in use, or free others: a class is free when no host reports it and no claim holds any of it`
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
      ? `be the present name of the machine: it was replaced and is called ${names.map((name) => quote(name)).join(' or ')} now`
      : 'be the name of a host that is there, or new: this one was forgotten, and an operator has to readmit it before it may report'
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
  if (verdict?.void === 'report.too_many_classes' && report.type === 'report') return tooManyClasses(fleet, report, [...path, 'report'])
  const record = fleet.hosts.find(report)
  const lastSequence = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)?.sequence ?? null
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
      message: `Sequence ${report.sequence} is not newer than the last report in the log, ${lastSequence}; nothing is lost by dropping it.`,
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
