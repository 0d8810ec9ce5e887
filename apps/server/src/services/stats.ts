import {
  type Claim,
  COMPUTE,
  canonicalJson,
  currentStats,
  type HostName,
  type HostReported,
  type HostStats,
  type HostWarning,
  mergeDelta,
  type NamespaceReported,
  type Parsed,
  type Plugins,
  parseHostStats,
  parseStatsDelta,
  publishedStats,
  renewalAge,
  STRICT_CLAIMS,
  type Void,
  warningsOf,
} from '@gantt/scheduler-core'
import type { Documents } from '../plugin/outside/documents.ts'
import type { Replica } from '../replica/replica.ts'
import { type HostView, viewHost } from './host-view.ts'
import type { HostNameInput } from './hosts.ts'
import { checkNamespace, withDocuments } from './namespace-report.ts'
import { readNovaHost } from './nova-import.ts'
import { type Failure, InputFault, type Invalid, type Issue, invalid, issue, under } from './outcome.ts'
import { checkRange, checkText } from './text.ts'

export const MAX_UPDATES = 1_000

/** A report as a caller sends it: one of full, delta, nova and namespace. */
export interface ReportInput {
  readonly name: HostNameInput
  readonly incarnation: string
  readonly sequence: number
  /** What was wrong with its form already. */
  readonly issues?: readonly Issue[]
  readonly full?: unknown
  readonly delta?: unknown
  /** A full picture in Nova's words. */
  readonly nova?: unknown
  readonly namespace?: { readonly namespace: string; readonly version: string; readonly document: unknown }
}

export interface ReportApplied {
  readonly type: 'applied'
  readonly host: HostView
  readonly revision: number
  readonly materialised: readonly Claim[]
  /** Of the last report that reached the log: the base of the next delta. */
  readonly loggedSequence: number
  /** True when it said nothing new, so that nothing was written. */
  readonly unchanged: boolean
  /** Fields of a document of Nova's that this release does not know. */
  readonly ignored: readonly string[]
  /** What the report says that cannot be, or that makes the host count for more than it may use. */
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
  /** Outcome i answers report i. Throws InputFault when there are none or more than 1000. */
  update(reports: readonly ReportInput[]): Promise<{ readonly results: readonly ReportOutcome[]; readonly revision: number }>
}

export type Report = HostReported | NamespaceReported

export function createStats(replica: Replica, documents: Documents): Stats {
  /** Hosts with a report on its way: another one cannot be compared with what the fleet says now. */
  const underway = new Map<string, number>()
  const count = (keys: readonly string[], by: 1 | -1): void => {
    for (const key of keys) {
      const next = (underway.get(key) ?? 0) + by
      if (next > 0) underway.set(key, next)
      else underway.delete(key)
    }
  }

  return {
    async update(reports) {
      if (reports.length < 1 || reports.length > MAX_UPDATES)
        throw InputFault.at(['input', 'updates'], reports, `a list of 1 to ${MAX_UPDATES} reports`)
      const read = await withDocuments(
        documents,
        reports.map((report, i) => parse(report, ['input', 'updates', String(i)], replica.fleet.plugins)),
      )
      const parsed = read.map((one) => ('issues' in one ? one.issues : one.report))
      // what looks unchanged, or refused for certain, may be news to the log, if this replica lags behind it
      if (parsed.some((report) => !Array.isArray(report) && !isNews(replica, report))) await replica.fresh()
      const met = new Set<string>()
      const written = parsed.map((report) => {
        if (Array.isArray(report)) return false
        const key = keyOf(report)
        const isWritten = met.has(key) || underway.has(key) || isNews(replica, report)
        if (isWritten) met.add(key)
        return isWritten
      })
      const known = parsed.map((report) => (Array.isArray(report) ? undefined : refusalOf(replica, report)))
      const changes = parsed.filter((report, i): report is Report => written[i] === true && !Array.isArray(report))
      const keys = changes.map(keyOf)
      count(keys, 1)
      const verdicts = await replica.propose(changes).finally(() => count(keys, -1))
      let next = 0
      const results = parsed.map((report, i): ReportOutcome => {
        if (Array.isArray(report)) return invalid(report)
        const refusal = known[i]
        const verdict = written[i] ? verdicts[next++] : refusal && { void: refusal, revision: replica.fleet.place.revision }
        const outcome = outcomeOf(replica, report, ['input', 'updates', String(i)], verdict)
        return outcome.type === 'applied' ? { ...outcome, ignored: read[i]?.ignored ?? [] } : outcome
      })
      return { results, revision: replica.fleet.place.revision }
    },
  }
}

const keyOf = (report: Report): string =>
  JSON.stringify([report.host, report.node, report.type === 'namespace' ? report.namespace : COMPUTE])

/** A report that is refused for certain, or says what is known already, appends nothing. */
const isNews = (replica: Replica, report: Report): boolean => refusalOf(replica, report) === undefined && saysSomethingNew(replica, report)

/** What the log would say, where that is certain on a fleet as new as the log: sequences and incarnations only go on. */
function refusalOf({ fleet }: Replica, report: Report): Void {
  const record = fleet.hosts.find(report)
  const needsHost = report.type === 'namespace' || report.delta !== undefined
  if (record === undefined) return needsHost ? 'report.unknown_host' : undefined
  const reporter = record.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (reporter?.incarnation === report.incarnation && report.sequence <= reporter.sequence) return 'report.stale'
  if (report.type === 'namespace' || report.delta === undefined) return undefined
  return reporter?.incarnation !== report.incarnation || reporter.sequence !== report.delta.baseSequence ? 'report.gap' : undefined
}

/** Whether the host's data, or its claims, would change; for reports that are not refused for certain. */
function saysSomethingNew({ fleet }: Replica, report: Report): boolean {
  const record = fleet.hosts.find(report)
  const reporter = record?.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (record === undefined || reporter?.incarnation !== report.incarnation || report.sequence <= reporter.sequence) return true
  if (report.type === 'namespace') {
    const known = record.namespaces.get(report.namespace)
    if (known?.version !== report.version || canonicalJson(known.document) !== canonicalJson(report.document)) return true
    const renewed = renewalAge(fleet, report.namespace)
    return renewed !== undefined && (known.reportedAt === undefined || fleet.now - known.reportedAt >= renewed)
  }
  if (report.delta !== undefined && report.delta.baseSequence !== reporter.sequence) return true
  const stats = report.full === undefined ? mergeDelta(record.stats, report.delta ?? { baseSequence: 0 }) : currentStats(report.full)
  const listed = new Set(stats.instances)
  for (const { instance, state, extra, source } of record.claims) {
    // the instance was there before its claim: the same report now materialises it
    if (instance !== null && listed.has(instance) && (state === 'RESERVED' || state === 'CONFIRMED')) return true
    // it has grown in place since the last report: the same report now counts all of it
    // a report without a list shows it no more; below that level it was left as it was
    if (fleet.featureLevel >= STRICT_CLAIMS && stats.instances === null && state === 'MATERIALISED') return true
    if (extra !== null && source === null && stats.instances !== null && saysUse(report)) return true
  }
  return canonicalJson(stats) !== canonicalJson(record.stats)
}

/** A full report says all use anew; a delta, what it names. */
const saysUse = ({ delta }: HostReported): boolean =>
  delta === undefined || [delta.vcpusUsed, delta.memoryMbUsed, delta.localGbUsed].some((used) => used !== undefined)

function outcomeOf(
  { fleet }: Replica,
  report: Report,
  path: readonly string[],
  verdict: { readonly void: Void; readonly revision: number } | undefined,
): Omit<ReportApplied, 'ignored'> | ReportStale | ReportNeedsFull {
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
    warnings: report.type === 'report' ? warningsOf(fleet, record) : [],
  }
}

export type Read =
  | { readonly report: Report; readonly ignored?: readonly string[] }
  | { readonly issues: Issue[]; readonly ignored?: undefined }

function parse(input: ReportInput, path: readonly string[], plugins: Plugins): Read {
  const { name, incarnation, sequence, full, delta, nova, namespace } = input
  const node = name.node ?? name.host
  const identity: HostName & { incarnation: string; sequence: number } = { host: name.host, node, incarnation, sequence }
  const issues = [
    ...(input.issues ?? []),
    ...checkText([...path, 'name', 'host'], name.host),
    ...(typeof name.node === 'string' ? checkText([...path, 'name', 'node'], node) : []),
    ...checkRange([...path, 'reporter', 'sequence'], sequence, 0, Number.MAX_SAFE_INTEGER),
  ]
  const take = <T>(stats: Parsed<T>, form: string, toReport: (value: T) => Report, ignored: readonly string[] = []): Read => {
    if (!stats.ok) return { issues: [...issues, ...under([...path, 'report', form], stats.problems)] }
    return issues.length > 0 ? { issues } : { report: toReport(stats.value), ignored }
  }
  const toFull = (stats: HostStats): Report => ({ type: 'report', ...identity, full: publishedStats(stats) })
  if (full !== undefined) return take(parseHostStats(full), 'full', toFull)
  if (delta !== undefined) return take(parseStatsDelta(delta), 'delta', (value) => ({ type: 'report', ...identity, delta: value }))
  if (nova !== undefined) {
    const { document, issues: unread, ignored } = readNovaHost(nova, name.host, [...path, 'report', 'nova'])
    return unread.length > 0 ? { issues: [...issues, ...unread] } : take(parseHostStats(document), 'nova', toFull, ignored)
  }
  if (namespace === undefined)
    return { issues: [...issues, issue([...path, 'report'], undefined, 'be one of full, delta, nova, namespace')] }
  issues.push(...checkNamespace(namespace, [...path, 'report', 'namespace'], plugins))
  return issues.length > 0 ? { issues } : { report: { type: 'namespace', ...identity, ...namespace } }
}
