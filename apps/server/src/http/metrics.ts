import { severityOf } from '@gantt/scheduler-core'
import type { Pause } from '../longest-pause.ts'
import type { Tally } from '../replica/propose/retries.ts'
import type { AuditorView } from '../replica/watch/auditor.ts'
import type { HealthView } from '../services/replica/health.ts'
import { type MetricHead, type Samples, writeMetric } from './prometheus-text.ts'

/** The values that a scrape reads; all of them are in memory. */
export interface MetricsSource {
  readonly health: Pick<HealthView, 'release' | 'version' | 'replica' | 'mode' | 'revision' | 'featureLevel' | 'ageMs' | 'flushMs'>
  readonly auditor: Pick<AuditorView, 'counts' | 'warnings' | 'violations' | 'clean' | 'ageMs' | 'rounds' | 'compared'>
  readonly proposals: Tally
  readonly hosts: number
  /** How many hosts have a warning of each code; one host may have several warnings. */
  readonly warnings: ReadonlyMap<string, number>
  readonly aggregates: number
  /** How many claims exist, including ended claims that an idempotency key refers to. */
  readonly claims: number
  /** The longest time since the last scrape in which the process did not yield. */
  readonly pause: Pause
}

interface Metric extends MetricHead {
  read(source: MetricsSource): Samples
}

const gauge = (name: string, help: string, read: Metric['read']): Metric => ({ kind: 'gauge', name, help, read })
const counter = (name: string, help: string, read: Metric['read']): Metric => ({ kind: 'counter', name, help, read })

const MODES: readonly HealthView['mode'][] = ['NORMAL', 'STORE_AWAY', 'READ_ONLY', 'CLOSING']

/** All metrics, in the order in which they are served. Times are in seconds, sizes in bytes. */
const metrics: readonly Metric[] = [
  gauge(
    'gantt_info',
    'The release of the service, the version of the rules by which it decides, and the name of the replica; always 1. `version` is deprecated: it is the same as `rules`.',
    ({ health: { release, version, replica } }) => [{ labels: { release, rules: version, version, replica }, value: 1 }],
  ),
  gauge('gantt_mode', 'What the replica can do: 1 for its mode, 0 for the others.', ({ health }) =>
    MODES.map((mode) => ({ labels: { mode }, value: health.mode === mode ? 1 : 0 })),
  ),
  gauge('gantt_log_revision', 'The last log revision that the replica has applied.', ({ health }) => health.revision),
  gauge('gantt_log_feature_level', 'Changes up to this level may be in the log.', ({ health }) => health.featureLevel),
  gauge(
    'gantt_state_age_seconds',
    'How long ago the state was last known to be as new as the store’s.',
    ({ health }) => health.ageMs / 1_000,
  ),
  gauge('gantt_audit_findings', 'Findings of the auditor, by code and severity; codes without findings are omitted.', ({ auditor }) =>
    Array.from(auditor.counts, ([code, value]) => ({ labels: { code, severity: severityOf(code).toLowerCase() }, value })),
  ),
  gauge(
    'gantt_audit_warnings',
    'Findings of the auditor in reports of hosts that contradict the claims.',
    ({ auditor }) => auditor.warnings,
  ),
  gauge(
    'gantt_audit_clean_looks',
    'Checks of objects by the auditor since its last violation; 0 while there is one.',
    ({ auditor }) => auditor.clean?.looks ?? 0,
  ),
  gauge(
    'gantt_audit_clean_rounds',
    'Consecutive rounds of the auditor without a violation up to now; 0 while there is one.',
    ({ auditor }) => auditor.clean?.rounds ?? 0,
  ),
  gauge(
    'gantt_audit_clean_since_timestamp_seconds',
    'Store time at which the first of these rounds began, seconds since 1970; absent while there is a violation, and before the first round is complete.',
    ({ auditor }) => seconds(auditor.clean?.since ?? null),
  ),
  gauge('gantt_audit_violations', 'Violations that the auditor finds; must be 0.', ({ auditor }) => auditor.violations),
  gauge(
    'gantt_audit_age_seconds',
    'Time since the last full check of the auditor; absent before its first round is complete.',
    ({ auditor }) => seconds(auditor.ageMs),
  ),
  counter('gantt_audit_rounds_total', 'Full checks of the auditor since the start.', ({ auditor }) => auditor.rounds),
  counter('gantt_audit_compared_total', 'Digests that were compared with those of other replicas.', ({ auditor }) => auditor.compared),
  counter(
    'gantt_proposals_counted_total',
    'Proposals of this replica that counted; each is for one request.',
    ({ proposals }) => proposals.counted,
  ),
  counter(
    'gantt_proposals_fruitless_total',
    'Proposals of this replica that did not count and were decided again, by the obstacle: a rule of the judge, or append.refused.',
    ({ proposals }) => labelled('rule', proposals.fruitless),
  ),
  counter(
    'gantt_decisions_unlogged_total',
    'Decisions of this replica that needed no proposal: refusals and advice.',
    ({ proposals }) => proposals.unlogged,
  ),
  counter(
    'gantt_decisions_refused_total',
    'Refusals of this replica, by cause: the reason for which most of the admitted hosts were refused.',
    ({ proposals }) => labelled('cause', proposals.refused),
  ),
  gauge('gantt_hosts', 'Hosts that have reported.', ({ hosts }) => hosts),
  gauge(
    'gantt_host_warnings',
    'Warnings about reports of hosts with impossible values, or values that make them count for more than they may use, by code.',
    ({ warnings }) => labelled('code', warnings),
  ),
  gauge('gantt_aggregates', 'Aggregates.', ({ aggregates }) => aggregates),
  gauge('gantt_claims', 'Known claims, including ended ones as long as their keys are kept.', ({ claims }) => claims),
  gauge('gantt_flush_seconds', 'Duration of a flush of the store at the start; absent if it was not measured.', ({ health }) =>
    seconds(health.flushMs),
  ),
  gauge(
    'gantt_longest_pause_seconds',
    'The longest pause of the event loop since the last scrape, in which no calls were answered.',
    ({ pause }) => pause.wallMs / 1_000,
  ),
  gauge(
    'gantt_longest_pause_cpu_seconds',
    'The longest pause in processor time, without the time of other processes.',
    ({ pause }) => pause.cpuMs / 1_000,
  ),
  gauge('process_resident_memory_bytes', 'Memory of the process.', () => process.memoryUsage().rss),
  counter('process_cpu_seconds_total', 'Processor time of the process.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }),
]

const labelled = (label: string, counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([name, value]) => ({ labels: { [label]: name }, value }))

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000)

/** One answer in the text format of Prometheus, version 0.0.4. */
export function metricsText(source: MetricsSource): string {
  return metrics.map((metric) => writeMetric(metric, metric.read(source))).join('')
}
