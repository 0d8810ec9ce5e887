import { type CollectorCount, type CollectorCounts, severityOf } from '@gantt/scheduler-core'
import type { Pause } from '../longest-pause.ts'
import type { Tally } from '../replica/propose/retries.ts'
import type { AuditorView } from '../replica/watch/auditor.ts'
import type { HealthView } from '../services/replica/health.ts'
import { type MetricHead, type Samples, writeMetric } from './prometheus-text.ts'

/** The values that a scrape reads; all of them are in memory. */
export interface MetricsSource {
  readonly health: Pick<HealthView, 'release' | 'version' | 'replica' | 'mode' | 'revision' | 'featureLevel' | 'ageMs' | 'flushMs'>
  readonly auditor: Pick<AuditorView, 'counts' | 'warnings' | 'violations' | 'clean' | 'ageMs' | 'rounds' | 'compared' | 'decisionsChecked'>
  readonly proposals: Tally
  readonly hosts: number
  /** How many hosts have a warning of each code; one host may have several warnings. */
  readonly warnings: ReadonlyMap<string, number>
  /** How many hosts have a collector in each state, and with each error, by the name of the collector. The count of names is bounded. */
  readonly collectors: CollectorCounts
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
  gauge('gantt_mode', 'The mode of the replica: 1 for its present mode, 0 for the other modes.', ({ health }) =>
    MODES.map((mode) => ({ labels: { mode }, value: health.mode === mode ? 1 : 0 })),
  ),
  gauge('gantt_log_revision', 'The last log revision that the replica has applied.', ({ health }) => health.revision),
  gauge(
    'gantt_log_feature_level',
    'The feature level of the fleet: the log may contain changes up to this level.',
    ({ health }) => health.featureLevel,
  ),
  gauge(
    'gantt_state_age_seconds',
    'The time since the state of the replica was last known to be as new as the state in the store.',
    ({ health }) => health.ageMs / 1_000,
  ),
  gauge('gantt_audit_findings', 'Findings of the auditor, by code and severity; codes without findings are omitted.', ({ auditor }) =>
    Array.from(auditor.counts, ([code, value]) => ({ labels: { code, severity: severityOf(code).toLowerCase() }, value })),
  ),
  gauge(
    'gantt_audit_warnings',
    'Findings of the auditor that are reports of hosts that contradict the claims.',
    ({ auditor }) => auditor.warnings,
  ),
  gauge(
    'gantt_audit_clean_looks',
    'How many objects the auditor has checked since it last found a violation; 0 while there is a violation.',
    ({ auditor }) => auditor.clean?.looks ?? 0,
  ),
  gauge(
    'gantt_audit_clean_rounds',
    'The latest consecutive complete rounds of the auditor without a violation; 0 while there is a violation.',
    ({ auditor }) => auditor.clean?.rounds ?? 0,
  ),
  gauge(
    'gantt_audit_clean_since_timestamp_seconds',
    'When the first of the rounds in gantt_audit_clean_rounds began, by the clock of the store, in seconds since 1970; absent while there is a violation, and before the first round is complete.',
    ({ auditor }) => seconds(auditor.clean?.since ?? null),
  ),
  gauge('gantt_audit_violations', 'Violations of promises that the auditor finds now; must be 0.', ({ auditor }) => auditor.violations),
  gauge(
    'gantt_audit_age_seconds',
    'The time since the auditor last completed a check of the whole state; absent before its first round is complete.',
    ({ auditor }) => seconds(auditor.ageMs),
  ),
  counter(
    'gantt_audit_rounds_total',
    'Checks of the whole state that the auditor has completed since the replica started.',
    ({ auditor }) => auditor.rounds,
  ),
  counter(
    'gantt_audit_compared_total',
    'Comparisons of a digest of this replica’s state with the digest of another replica.',
    ({ auditor }) => auditor.compared,
  ),
  counter(
    'gantt_decisions_checked_total',
    'Decisions of this replica that were made a second time by examining every host instead of searching the index. A difference is a violation.',
    ({ auditor }) => auditor.decisionsChecked,
  ),
  counter(
    'gantt_proposals_counted_total',
    'Proposals of this replica that took effect; each proposal is for one request.',
    ({ proposals }) => proposals.counted,
  ),
  counter(
    'gantt_proposals_fruitless_total',
    'Proposals of this replica that had no effect, so that their requests were decided again. The label is the code of the rule that a proposal violated, or append.refused if other writers appended first.',
    ({ proposals }) => labelled('rule', proposals.fruitless),
  ),
  counter(
    'gantt_decisions_unlogged_total',
    'Decisions of this replica that needed no proposal: refusals, and decisions that claim nothing.',
    ({ proposals }) => proposals.unlogged,
  ),
  counter(
    'gantt_decisions_refused_total',
    'Refusals by this replica. The label is the code of the cause, which is the reason for which most of the admitted hosts were refused.',
    ({ proposals }) => labelled('cause', proposals.refused),
  ),
  gauge('gantt_hosts', 'Hosts that have reported and have not left the fleet.', ({ hosts }) => hosts),
  gauge(
    'gantt_host_warnings',
    'Warnings about reports of hosts, by code: impossible values, or values that make the service count more usage than the host may really have.',
    ({ warnings }) => labelled('code', warnings),
  ),
  gauge(
    'gantt_collectors',
    'Hosts by the state of a collector of their agent: WAITING, SENDING, SLOWED, PAUSED (no profile in use reads its namespace), FAILING, or OUTDATED if the agent has not repeated the state for 20 minutes. The 50 names that most hosts have are counted on their own, all others together as OTHER.',
    ({ collectors }) => byCollector('state', collectors.states),
  ),
  gauge(
    'gantt_collector_errors',
    'Hosts on which a collector fails now, by the name of the collector and the code of its error.',
    ({ collectors }) => byCollector('error', collectors.errors),
  ),
  gauge('gantt_aggregates', 'How many aggregates exist.', ({ aggregates }) => aggregates),
  gauge(
    'gantt_claims',
    'Claims that the replica holds in memory, including ended claims whose idempotency keys are kept.',
    ({ claims }) => claims,
  ),
  gauge(
    'gantt_flush_seconds',
    'Duration of a flush of the store to disk, measured when the replica started; absent if it was not measured.',
    ({ health }) => seconds(health.flushMs),
  ),
  gauge(
    'gantt_longest_pause_seconds',
    'The longest pause of the event loop since the last scrape. During a pause the replica answers no calls.',
    ({ pause }) => pause.wallMs / 1_000,
  ),
  gauge(
    'gantt_longest_pause_cpu_seconds',
    'The longest pause of the event loop since the last scrape in processor time of this process, without the time in which other processes ran.',
    ({ pause }) => pause.cpuMs / 1_000,
  ),
  gauge('process_resident_memory_bytes', 'Resident memory of the process.', () => process.memoryUsage().rss),
  counter('process_cpu_seconds_total', 'Processor time that the process has used.', () => {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }),
]

const byCollector = (label: string, counts: readonly CollectorCount[]) =>
  counts.map(({ collector, value, hosts }) => ({ labels: { collector, [label]: value }, value: hosts }))

const labelled = (label: string, counts: ReadonlyMap<string, number>) =>
  Array.from(counts, ([name, value]) => ({ labels: { [label]: name }, value }))

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000)

/** One answer in the text format of Prometheus, version 0.0.4. */
export function metricsText(source: MetricsSource): string {
  return metrics.map((metric) => writeMetric(metric, metric.read(source))).join('')
}
