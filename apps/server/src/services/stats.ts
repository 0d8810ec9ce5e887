import {
  type Claim,
  COMPUTE,
  canonicalJson,
  currentStats,
  type Fleet,
  type HostName,
  type HostReported,
  type HostStats,
  type HostWarning,
  hostKey,
  mergeDelta,
  type Parsed,
  parseHostStats,
  parseStatsDelta,
  pluginsOf,
  presentHosts,
  problemAt,
  publishedStats,
  quote,
  renewalAge,
  STRICT_CLAIMS,
  type StatsDelta,
  type Void,
  warningsOf,
} from '@gantt/scheduler-core'
import { reportPath, withClaimedDevices } from '@gantt/scheduler-core/nova'
import type { Documents } from '../plugin/outside/documents.ts'
import { mapInPieces } from '../replica/in-pieces.ts'
import type { Replica } from '../replica/replica.ts'
import { type HostView, viewHost } from './host-view.ts'
import { checkNamespace, withDocuments } from './namespace-report.ts'
import { readNovaHost } from './nova-import.ts'
import { type Failure, InputFault, type Invalid, type Issue, invalid, issue, under } from './outcome.ts'
import type { Read, Report, ReportInput } from './report-input.ts'
import { checkHostName, checkNames, checkRange, checkText } from './text.ts'

export const MAX_UPDATES = 1_000
/** Characters of JSON of one report. docs/limits.md says what fits. */
export const MAX_REPORT_LENGTH = 512 * 1024
/** Lists and objects of one report, and what is in them: each is looked at several times, all in one go. */
export const MAX_REPORT_VALUES = 50_000
/** As many as a full report lists. */
const MAX_INSTANCES = 10_000

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
  /**
   * Outcome i answers report i. Throws CallerGoneError where its caller goes away while the reports are read: nothing was written then. Throws InputFault when there are none or more than 1000. A report of a node that is not there
   * yet is refused where its host has `maxNodes` already, those that other calls of this replica are about to add counted.
   */
  update(
    reports: readonly ReportInput[],
    limits?: { readonly maxNodes: number },
  ): Promise<{ readonly results: readonly ReportOutcome[]; readonly revision: number }>
}

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
      const isNews = (report: Report, i: number): boolean =>
        refusalOf(replica, report) === undefined && saysSomethingNewSince(replica.fleet, report, looked[i])
      // what looks unchanged, or refused for certain, may be news to the log, if this replica lags behind it; so may be its nodes
      const isLimited = (report: Report): boolean => limits !== undefined && joining.isNew(report)
      if (parsed.some((report, i) => !Array.isArray(report) && (isLimited(report) || !isNews(report, i)))) await replica.fresh()
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
        const isWritten = met.has(key) || underway.has(key) || isNews(report, i)
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

/** Nodes that calls of this replica are about to add, and are not in the fleet yet. */
function createJoining(replica: Pick<Replica, 'fleet'>) {
  const byHost = new Map<string, Map<string, number>>()
  return {
    /** Whether a report, once it is applied, adds a node. */
    isNew: (report: Report): boolean =>
      report.type === 'report' &&
      report.full !== undefined &&
      replica.fleet.hosts.find(report) === undefined &&
      replica.fleet.hosts.refusesName(report) === undefined,
    has: ({ host, node }: Report): boolean => byHost.get(host)?.has(node) ?? false,
    /** Nodes of a host, those on their way included. */
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

/** Whether a report says something new, and what the host's revision was then. */
interface Looked {
  readonly revision: number | undefined
  readonly isNew: boolean
}

const lookAt = (fleet: Fleet, report: Report): Looked => ({
  revision: fleet.hosts.find(report)?.revision,
  isNew: saysSomethingNew({ fleet }, report),
})

/** What was found when the report was looked at, unless the host changed since: to compare it takes long, and what follows has no pause. */
const saysSomethingNewSince = (fleet: Fleet, report: Report, looked: Looked | undefined): boolean =>
  looked !== undefined && looked.revision === fleet.hosts.find(report)?.revision ? looked.isNew : saysSomethingNew({ fleet }, report)

/** What the log would say, where that is certain on a fleet as new as the log: sequences and incarnations only go on. */
function refusalOf({ fleet }: Replica, report: Report): Void {
  const left = fleet.hosts.refusesName(report)
  if (left !== undefined) return left
  const record = fleet.hosts.find(report)
  const needsHost = report.type === 'namespace' || report.delta !== undefined
  if (record === undefined) return needsHost ? 'report.unknown_host' : undefined
  const reporter = record.reporters.get(report.type === 'namespace' ? report.namespace : COMPUTE)
  if (reporter?.incarnation === report.incarnation && report.sequence <= reporter.sequence) return 'report.stale'
  if (report.type === 'namespace' || report.delta === undefined) return undefined
  return reporter?.incarnation !== report.incarnation || reporter.sequence !== report.delta.baseSequence ? 'report.gap' : undefined
}

/** Whether the host's data, or its claims, would change; for reports that are not refused for certain. */
function saysSomethingNew({ fleet }: Pick<Replica, 'fleet'>, report: Report): boolean {
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

/** Reports under the name of a host that left are refused, with what became of it. */
function leftOf(
  { hosts }: Fleet,
  { host, node }: Report,
  code: 'report.host_forgotten' | 'report.host_replaced',
  path: readonly string[],
): Invalid {
  const heir = hosts.findRenamed({ host, node })
  // a new node of a host that was replaced with all its nodes
  const names = heir === undefined ? presentHosts(hosts, [host]) : [hostKey(heir)]
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
    // a document of a namespace tells of what hosts share, and of nothing else that is counted
    warnings: warningsOf(fleet, record).filter(({ isShared }) => report.type === 'report' || isShared === true),
  }
}

/** What Nova wrote is kept as it came. */
const isNova = ([first]: readonly string[]): boolean => first === 'nova'

/** A host may hold no more instances by many deltas than by one full report. */
function checkInstances(before: readonly string[], delta: StatsDelta, path: readonly string[]): Issue[] {
  const { addInstances = [], removeInstances = [] } = delta
  if (before.length + addInstances.length <= MAX_INSTANCES) return []
  const gone = new Set(removeInstances)
  const after = new Set([...before.filter((uuid) => !gone.has(uuid)), ...addInstances]).size
  const rule = `leave the host with at most ${MAX_INSTANCES} instances, not ${after}`
  return after <= MAX_INSTANCES ? [] : [issue([...path, 'addInstances'], addInstances, rule, 'call.too_large')]
}

/** An amount that one instance may have. Reports that are stored already are taken as they are. */
const checkUnits = (stats: HostStats | StatsDelta, path: readonly string[], maximum: string): Issue[] =>
  ('inventories' in stats ? stats.inventories : []).flatMap(({ minUnit, maxUnit }, i) =>
    maxUnit === null || minUnit <= maxUnit
      ? []
      : [issue([...path, 'inventories', String(i), 'minUnit'], minUnit, `be at most ${maximum}, ${maxUnit}`, 'stats.invalid')],
  )

/** Traits that no request can ask for, as Placement writes none: they have no effect. */
const unknowableTraits = (stats: HostStats | StatsDelta): readonly string[] =>
  [...('traits' in stats ? (stats.traits ?? []) : [])].flatMap((trait, i) => (TRAIT.test(trait) ? [] : [`traits.${i}`]))

const TRAIT = /^[A-Z][A-Z0-9_]{0,254}$/

/** How many values lists and objects have, one within another. The document is no deeper than a call may be. */
function valuesIn(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  const inner = Object.values(value)
  let count = inner.length
  for (const item of inner) if (typeof item === 'object') count += valuesIn(item)
  return count
}

/** A problem with the typed form of a report, in the words of the document of Nova's that it was made of. */
function asReported(found: Issue, document: unknown, root: readonly string[]): Issue {
  const inner = found.path.slice(root.length)
  if (inner.length === 0 || root.some((key, i) => found.path[i] !== key)) return found
  return problemAt(found, [...root, ...reportPath(document, inner)])
}

/** The report of a call, or what is wrong with it. */
export function readReport(input: ReportInput, path: readonly string[], fleet: Fleet): Read {
  const { hosts } = fleet
  const { name, incarnation, sequence, full, delta, nova, namespace } = input
  const node = name.node ?? name.host
  const identity: HostName & { incarnation: string; sequence: number } = { host: name.host, node, incarnation, sequence }
  const known = hosts.find(identity)
  // a host that is there already reports on under the name that it has
  const isNew = known === undefined && hosts.findForgotten(identity) === undefined
  const issues = [
    ...(input.issues ?? []),
    ...(isNew ? checkHostName([...path, 'name'], name) : checkText([...path, 'name', 'host'], name.host)),
    ...(!isNew && typeof name.node === 'string' ? checkText([...path, 'name', 'node'], node) : []),
    ...checkRange([...path, 'reporter', 'sequence'], sequence, 0, Number.MAX_SAFE_INTEGER),
  ]
  const take = <T extends HostStats | StatsDelta>(
    stats: Parsed<T>,
    form: string,
    toReport: (value: T) => Report,
    ignored: readonly string[] = [],
  ): Read => {
    if (!stats.ok) return { issues: [...issues, ...under([...path, 'report', form], stats.problems)] }
    const at = [...path, 'report', form]
    issues.push(...checkNames(at, stats.value, isNova), ...checkUnits(stats.value, at, form === 'nova' ? 'max_unit' : 'maxUnit'))
    return issues.length > 0 ? { issues } : { report: toReport(stats.value), ignored: [...ignored, ...unknowableTraits(stats.value)] }
  }
  const sent = full ?? delta ?? nova
  // before it is read: what reads it takes as long as it is
  const tooLarge = (rule: string): Read => {
    const form = full !== undefined ? 'full' : delta !== undefined ? 'delta' : 'nova'
    return { issues: [...issues, issue([...path, 'report', form], sent, rule, 'call.too_large')] }
  }
  const size = sent === undefined ? 0 : JSON.stringify(sent).length
  if (size > MAX_REPORT_LENGTH) return tooLarge(`be at most ${MAX_REPORT_LENGTH} characters of JSON, not ${size}`)
  const values = valuesIn(sent)
  if (values > MAX_REPORT_VALUES)
    return tooLarge(`have at most ${MAX_REPORT_VALUES} values, those within lists and objects counted, not ${values}`)
  const toFull = (stats: HostStats): Report => ({ type: 'report', ...identity, full: publishedStats(stats) })
  if (full !== undefined) return take(parseHostStats(full), 'full', toFull)
  if (delta !== undefined) {
    const stats = parseStatsDelta(delta)
    if (stats.ok) issues.push(...checkInstances(known?.stats.instances ?? [], stats.value, [...path, 'report', 'delta']))
    return take(stats, 'delta', (value) => ({ type: 'report', ...identity, delta: value }))
  }
  if (nova !== undefined) {
    const { document, issues: unread, ignored } = readNovaHost(nova, name.host, [...path, 'report', 'nova'])
    if (unread.length > 0) return { issues: [...issues, ...unread] }
    const read = take(parseHostStats(document), 'nova', (stats) => toFull(withClaimedDevices(stats, identity, fleet)), ignored)
    return 'report' in read ? read : { issues: read.issues.map((found) => asReported(found, nova, [...path, 'report', 'nova'])) }
  }
  if (namespace === undefined)
    return { issues: [...issues, issue([...path, 'report'], undefined, 'be one of full, delta, nova, namespace')] }
  issues.push(...checkNamespace(namespace, [...path, 'report', 'namespace'], pluginsOf(fleet)))
  return issues.length > 0 ? { issues } : { report: { type: 'namespace', ...identity, ...namespace } }
}
