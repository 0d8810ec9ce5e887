import {
  ALLOCATION_RULES,
  type Fleet,
  type HostName,
  type HostStats,
  type Parsed,
  parseHostStats,
  parseStatsDelta,
  pluginsOf,
  problemAt,
  publishedStats,
  type StatsDelta,
} from '@gantt/scheduler-core'
import { reportPath, withClaimedDevices } from '@gantt/scheduler-core/nova'
import { type JsonSize, sizeRule } from '../calls/json-size.ts'
import { type Issue, issue, under } from '../calls/outcome.ts'
import { checkHostName, checkNames, checkRange, checkText } from '../calls/text.ts'
import { checkNamespace } from './namespace-report.ts'
import { readNovaHost } from './nova-import.ts'
import { checkOpenClasses } from './open-classes.ts'
import type { Read, Report, ReportInput } from './report-input.ts'

/** The maximum length of one report as JSON, in characters (docs/limits.md). */
export const MAX_REPORT_LENGTH = 512 * 1024

/** The maximum count of values in one report, because all values are visited several times without yielding. */
export const MAX_REPORT_VALUES = 50_000

const reportSize: JsonSize = { characters: MAX_REPORT_LENGTH, values: MAX_REPORT_VALUES }

/** The maximum count of instances in a full report. */
const MAX_INSTANCES = 10_000

/** Texts in Nova documents are not checked as names, because Nova documents are stored unchanged. */
const isNova = ([first]: readonly string[]): boolean => first === 'nova'

/**
 * Checks that the instances of a host do not exceed the limit of a full report after a delta. Without this check, many small deltas
 * together could exceed the limit.
 */
function checkInstances(before: readonly string[], delta: StatsDelta, path: readonly string[]): Issue[] {
  const { addInstances = [], removeInstances = [] } = delta
  if (before.length + addInstances.length <= MAX_INSTANCES) return []
  const gone = new Set(removeInstances)
  const after = new Set([...before.filter((uuid) => !gone.has(uuid)), ...addInstances]).size
  const rule = `leave the host with at most ${MAX_INSTANCES} instances, not ${after}`
  return after <= MAX_INSTANCES ? [] : [issue([...path, 'addInstances'], addInstances, rule, 'call.too_large')]
}

/**
 * Checks that the rules of a resource class allow at least one amount for an instance. An allowed amount is a multiple of the step size and
 * is between the minimum and the maximum. The total is not checked, because it changes with the machine. Stored reports are not checked.
 */
const checkUnits = (stats: HostStats | StatsDelta, path: readonly string[], names: UnitNames): Issue[] =>
  ('inventories' in stats ? stats.inventories : []).flatMap(({ total, minUnit, maxUnit, stepSize }, i) => {
    if (maxUnit === null || Math.ceil(minUnit / stepSize) * stepSize <= maxUnit) return []
    const at = [...path, 'inventories', String(i)]
    if (minUnit > maxUnit) return [issue([...at, 'minUnit'], minUnit, `be at most ${names.maxUnit}, ${maxUnit}`, 'stats.invalid')]
    // a host that loses devices must be able to report, and the maximum that a host reports is often its total
    if (maxUnit === total) return []
    const rule = `have a multiple between ${names.minUnit}, ${minUnit}, and ${names.maxUnit}, ${maxUnit}: otherwise no amount is allowed`
    return [issue([...at, 'stepSize'], stepSize, rule, 'stats.invalid')]
  })

/** The names that a report uses for the minimum and maximum amount for one instance. */
interface UnitNames {
  readonly minUnit: string
  readonly maxUnit: string
}
const TYPED_UNITS: UnitNames = { minUnit: 'minUnit', maxUnit: 'maxUnit' }
const PLACEMENT_UNITS: UnitNames = { minUnit: 'min_unit', maxUnit: 'max_unit' }

/** Checks that the traits have names that a flavor can request. Stored reports are not checked. */
const checkTraits = (stats: HostStats | StatsDelta, path: readonly string[]): Issue[] =>
  ('traits' in stats ? stats.traits : []).flatMap((trait, i) =>
    TRAIT.test(trait) ? [] : [issue([...path, 'traits', String(i)], trait, TRAIT_RULE, 'stats.invalid')],
  )

const TRAIT = /^[A-Z][A-Z0-9_]{0,254}$/
const TRAIT_RULE = 'be the name of a trait: capital letters, digits and _, beginning with a letter, such as CUSTOM_FAST'

/** If a report was made from a Nova document, converts the path of a problem in the report to the path in the Nova document. */
function asReported(found: Issue, document: unknown, root: readonly string[]): Issue {
  const inner = found.path.slice(root.length)
  if (inner.length === 0 || root.some((key, i) => found.path[i] !== key)) return found
  return problemAt(found, [...root, ...reportPath(document, inner)])
}

/** Below the level at which the settings of the fleet apply, a report does not say what its inventories leave to them. */
const atLevel = (stats: HostStats, { featureLevel }: Fleet): HostStats =>
  stats.nova === null || featureLevel >= ALLOCATION_RULES ? stats : { ...stats, nova: { ...stats.nova, openRatios: [], openReserves: [] } }

/** Reads the report of a call. Returns the report, or its errors. */
export function readReport(input: ReportInput, path: readonly string[], fleet: Fleet): Read {
  const { hosts } = fleet
  const { name, incarnation, sequence, full, delta, nova, namespace } = input
  const node = name.node ?? name.host
  const identity: HostName & { incarnation: string; sequence: number } = { host: name.host, node, incarnation, sequence }
  const known = hosts.find(identity)
  // the name is checked only for a new host, because an existing host must be able to report under its name
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
    issues.push(
      ...checkNames(at, stats.value, isNova),
      ...checkTraits(stats.value, at),
      ...checkUnits(stats.value, at, form === 'nova' ? PLACEMENT_UNITS : TYPED_UNITS),
    )
    return issues.length > 0 ? { issues } : { report: toReport(stats.value), ignored }
  }
  const sent = full ?? delta ?? nova
  const tooLarge = sizeRule(sent, reportSize)
  if (tooLarge !== undefined) {
    const form = full !== undefined ? 'full' : delta !== undefined ? 'delta' : 'nova'
    return { issues: [...issues, issue([...path, 'report', form], sent, tooLarge, 'call.too_large')] }
  }
  const toFull = (stats: HostStats): Report => ({ type: 'report', ...identity, full: publishedStats(atLevel(stats, fleet)) })
  if (full !== undefined) {
    const stats = parseHostStats(full)
    if (stats.ok) issues.push(...checkOpenClasses(stats.value, [...path, 'report', 'full']))
    return take(stats, 'full', toFull)
  }
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
