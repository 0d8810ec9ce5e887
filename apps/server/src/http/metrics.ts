import { severityOf } from '@gantt/scheduler-core'
import type { Pause } from '../longest-pause.ts'
import type { AuditorView } from '../replica/auditor.ts'
import type { Tally } from '../replica/retries.ts'
import type { HealthView } from '../services/health.ts'

/** What a scrape reads; all of it is in memory. */
export interface MetricsSource {
  readonly health: HealthView
  readonly auditor: AuditorView
  readonly proposals: Tally
  readonly hosts: number
  /** Warnings of hosts by code; one host may have several. */
  readonly warnings: ReadonlyMap<string, number>
  readonly aggregates: number
  /** Ended ones included as long as their keys are known. */
  readonly claims: number
  /** The longest since the last scrape. */
  readonly pause: Pause
}

type Kind = 'gauge' | 'counter'

const MODES: readonly HealthView['mode'][] = ['NORMAL', 'STORE_AWAY', 'READ_ONLY', 'CLOSING']

/** One answer in the text format of Prometheus, version 0.0.4. Times are in seconds, sizes in bytes. */
export function metricsText({ health, auditor, proposals, hosts, warnings, aggregates, claims, pause }: MetricsSource): string {
  const lines: string[] = []
  const tell = (name: string, kind: Kind, help: string, value: number | null, labels = ''): void => {
    const head = `# TYPE gantt_${name} `
    if (!lines.some((line) => line.startsWith(head))) lines.push(`# HELP gantt_${name} ${help}`, `${head}${kind}`)
    if (value !== null) lines.push(`gantt_${name}${labels} ${value}`)
  }
  tell(
    'info',
    'gauge',
    'Release of the core and name of the replica; always 1.',
    1,
    `{version="${health.version}",replica="${quoted(health.replica)}"}`,
  )
  for (const mode of MODES)
    tell('mode', 'gauge', 'What the replica can do: 1 for its mode, 0 for the others.', health.mode === mode ? 1 : 0, `{mode="${mode}"}`)
  tell('log_revision', 'gauge', 'What the replica has applied of the log.', health.revision)
  tell('log_feature_level', 'gauge', 'Changes up to this level may be in the log.', health.featureLevel)
  tell('state_age_seconds', 'gauge', 'How long ago the state was last known to be as new as the store’s.', health.ageMs / 1_000)
  for (const [code, count] of auditor.counts)
    tell(
      'audit_findings',
      'gauge',
      'What the auditor finds, by code and severity; codes of which it finds none are left out.',
      count,
      `{code="${code}",severity="${severityOf(code).toLowerCase()}"}`,
    )
  tell('audit_warnings', 'gauge', 'What the auditor finds in reports of hosts that contradicts the claims.', auditor.warnings)
  tell(
    'audit_clean_looks',
    'gauge',
    'Things that the auditor looked at since it last found a violation, each as often as it did; 0 while there is one.',
    auditor.clean?.looks ?? 0,
  )
  tell(
    'audit_clean_rounds',
    'gauge',
    'Rounds of the auditor, one after the other up to now, in which it found no violation; 0 while there is one.',
    auditor.clean?.rounds ?? 0,
  )
  tell(
    'audit_clean_since_timestamp_seconds',
    'gauge',
    'Store time at which the first of these rounds began, seconds since 1970; absent while there is a violation, and before the first round is over.',
    seconds(auditor.clean?.since ?? null),
  )
  tell('audit_violations', 'gauge', 'What the auditor finds that cannot be; 0 is how it must be.', auditor.violations)
  tell(
    'audit_age_seconds',
    'gauge',
    'How long ago the auditor had looked at everything; absent before its first round is over.',
    seconds(auditor.ageMs),
  )
  tell('audit_rounds_total', 'counter', 'How often the auditor looked at everything since the start.', auditor.rounds)
  tell('audit_compared_total', 'counter', 'Digests that were compared with those of other replicas.', auditor.compared)
  tell('proposals_counted_total', 'counter', 'Proposals of this replica that count: each is the room of one request.', proposals.counted)
  for (const [rule, times] of proposals.fruitless)
    tell(
      'proposals_fruitless_total',
      'counter',
      'Proposals of this replica that came to nothing and were decided again, by what was in the way: a rule of the judge, or append.refused.',
      times,
      `{rule="${rule}"}`,
    )
  tell('decisions_unlogged_total', 'counter', 'Decisions of this replica that needed no proposal: refusals and advice.', proposals.unlogged)
  for (const [code, times] of proposals.refused)
    tell(
      'decisions_refused_total',
      'counter',
      'Refusals of this replica, by why no host was found: what most of the hosts that the request admits were refused for.',
      times,
      `{cause="${code}"}`,
    )
  tell('hosts', 'gauge', 'Hosts that have reported.', hosts)
  for (const [code, count] of warnings)
    tell(
      'host_warnings',
      'gauge',
      'What reports of hosts say that cannot be, or that makes them count for more than they may use, by code.',
      count,
      `{code="${code}"}`,
    )
  tell('aggregates', 'gauge', 'Aggregates.', aggregates)
  tell('claims', 'gauge', 'Claims that are known, ended ones included as long as their keys are.', claims)
  tell(
    'flush_seconds',
    'gauge',
    'How long a flush of the store took at the start; absent where it was not measured.',
    seconds(health.flushMs),
  )
  tell(
    'longest_pause_seconds',
    'gauge',
    'The longest time since the last scrape in which the process did one thing only, and so answered nobody.',
    pause.wallMs / 1_000,
  )
  tell(
    'longest_pause_cpu_seconds',
    'gauge',
    'The same in time of the processor: what other processes took of it does not count.',
    pause.cpuMs / 1_000,
  )
  const { rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  lines.push('# HELP process_resident_memory_bytes Memory of the process.', '# TYPE process_resident_memory_bytes gauge')
  lines.push(`process_resident_memory_bytes ${rss}`)
  lines.push('# HELP process_cpu_seconds_total Time of the processor that the process took.', '# TYPE process_cpu_seconds_total counter')
  lines.push(`process_cpu_seconds_total ${(user + system) / 1e6}`)
  return `${lines.join('\n')}\n`
}

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000)

const quoted = (text: string): string => text.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
