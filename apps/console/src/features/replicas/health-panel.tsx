import { Alert, Text } from '@mantine/core'
import { formatCount, formatDuration, formatMib, formatTime, readDuration, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { type Figure, Figures } from '../../ui/chart/figures.tsx'
import { Heading } from '../../ui/heading.tsx'
import type { ReplicaStates } from './compare.ts'
import { pluginsText } from './vitals.ts'

interface HealthPanelProps {
  readonly health: ReplicaStates['health']
  readonly log: ReplicaStates['fleetLog']
  /** All replicas. The answering replica is one of them, except for a moment after its start. */
  readonly replicas: ReplicaStates['replicas']
}

/** The state of the answering replica, what is degraded at present, and the log that the replica follows. */
export function HealthPanel({ health, log, replicas }: HealthPanelProps) {
  const zone = useTimeZone()
  const { replica, mode, reason, code, degraded } = health
  const own = replicas.find(({ id }) => id === replica)
  return (
    <section aria-label="This replica">
      <Heading keys="2">This replica</Heading>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {replica}, release {health.release}, rules {health.version}
        {own?.plugins?.length ? `, plug-ins ${pluginsText(own)}` : ''}
      </Text>
      {mode === 'NORMAL' ? null : (
        <Alert color="red" p="xs" title={mode.toLowerCase().replaceAll('_', ' ')} role="status">
          {reason ?? 'The replica accepts no writes.'} {code === null ? '' : `(${code})`}
        </Alert>
      )}
      {degraded.map((one) => (
        <Alert key={one.code} color="yellow" p="xs" title={one.code} role="status" data-degraded={one.code}>
          {one.message} Since <span title={titleOfTime(one.since)}>{formatTime(one.since, zone)}</span>.
        </Alert>
      ))}
      <Figures figures={[...figuresOf(health), ...logFigures(log)]} />
      <Text size="xs" c="dimmed">
        {log.firstAt === null || Number(log.firstRevision) === 0
          ? 'The log is complete: every decision can be replayed exactly.'
          : `The log reaches back to revision ${log.firstRevision}, ${formatTime(log.firstAt, zone)}: earlier decisions cannot be replayed exactly.`}
      </Text>
    </section>
  )
}

const figuresOf = ({ mode, engine, sharedFlush, stateAge, flushMs, featureLevel, degraded }: ReplicaStates['health']): Figure[] => [
  { label: 'Mode', value: mode.toLowerCase().replaceAll('_', ' '), isBad: mode !== 'NORMAL' },
  { label: 'Degraded', value: degraded.length === 0 ? 'nothing' : formatCount(degraded.length), isBad: degraded.length > 0 },
  { label: 'Log store', value: engine, title: sharedFlush ? 'One flush for all waiting writers' : 'One flush per entry' },
  {
    label: 'State age',
    value: formatDuration(readDuration(stateAge)),
    title: 'Time since the replica was last known to be up to date with the log',
  },
  { label: 'Flush time', value: flushMs === null ? 'not measured' : formatDuration(flushMs), title: 'Measured at startup' },
  { label: 'Feature level', value: formatCount(featureLevel) },
]

const BYTES_PER_MIB = 1_048_576

const logFigures = ({ bytes, keptDays, keptBytes, rowsSetAside }: ReplicaStates['fleetLog']): Figure[] => [
  {
    label: 'Log',
    value: `${formatMib(bytes / BYTES_PER_MIB)} of ${formatMib(keptBytes / BYTES_PER_MIB)}`,
    title: `Entries older than ${formatCount(keptDays)} days are dropped. If the log exceeds its size limit, the oldest entries are dropped too.`,
  },
  {
    label: 'Skipped rows',
    value: formatCount(rowsSetAside),
    isBad: rowsSetAside > 0,
    title: 'Rows that the tables skip, because the database refuses their contents',
  },
]
