import type { RowField } from '../../../lib/csv.ts'
import { formatMib, formatTime, formatTook, type TimeZoneChoice, titleOfTime } from '../../../lib/format.ts'
import { labelOfHost } from '../../../lib/host-label.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { AnchorLink } from '../../../ui/anchor-link.tsx'
import type { TableColumn } from '../../../ui/table/table.tsx'
import type { LIST } from '../documents.ts'
import { barShare, countsOf, endsText, funnelText } from '../funnel.ts'
import { Outcome } from '../outcome.tsx'

export type DecisionRow = ResultOf<typeof LIST>['decisions']['nodes'][number]

/**
 * The columns of the list, with times in the selected zone. `firstRevision` is the first revision in the log. It is 0 while the log is
 * complete.
 */
export const decisionColumns = (zone: TimeZoneChoice, firstRevision: number): TableColumn<DecisionRow>[] => [
  {
    key: 'at',
    label: 'Time',
    width: '155px',
    value: ({ at }) => formatTime(at, zone),
    cell: ({ at }) => <span title={titleOfTime(at)}>{formatTime(at, zone)}</span>,
  },
  {
    key: 'outcome',
    label: 'Outcome',
    width: '132px',
    value: ({ outcome }) => outcome,
    cell: ({ outcome }) => <Outcome outcome={outcome} />,
  },
  { key: 'flavor', label: 'Requested', width: 'minmax(106px, 1fr)', value: askedOf },
  {
    key: 'n',
    label: 'Count',
    title: 'The number of requested instances.',
    width: '62px',
    align: 'right',
    value: ({ spec }) => spec.numInstances,
  },
  {
    key: 'funnel',
    label: 'Hosts left',
    width: 'minmax(174px, 1fr)',
    value: ({ hostCount, funnel }) => funnelText(hostCount, funnel),
    cell: (row) => <Spark row={row} />,
  },
  {
    key: 'result',
    label: 'Host or cause',
    width: 'minmax(175px, 2.4fr)',
    value: resultOf,
    cell: (row) => <span title={resultOf(row)}>{resultOf(row)}</span>,
  },
  { key: 'attempt', label: 'Try', title: 'Number of attempts', width: '40px', align: 'right', value: ({ attempt }) => attempt },
  {
    key: 'took',
    label: 'Took',
    title: 'Time that the replica took for the last attempt, without waiting',
    width: '66px',
    align: 'right',
    value: ({ durationMs }) => (durationMs === null ? '' : formatTook(durationMs)),
  },
  { key: 'account', label: 'Account', width: '76px', value: ({ account }) => account },
  {
    key: 'profile',
    label: 'Profile',
    width: '90px',
    value: profileOf,
  },
  {
    key: 'instance',
    label: 'Instance',
    isExtra: true,
    width: 'minmax(180px, 1.4fr)',
    value: ({ instanceUuids }) => instanceUuids.join(', '),
    cell: ({ instanceUuids }) => <span className="mono">{instanceUuids.join(', ')}</span>,
  },
  {
    key: 'request',
    label: 'Request',
    title: 'Ids of the requests that the decision answered, as recorded in the audit',
    isExtra: true,
    width: 'minmax(180px, 1.4fr)',
    value: ({ requestIds }) => requestIds.join(', '),
    cell: ({ requestIds }) => <span className="mono">{requestIds.join(', ')}</span>,
  },
  { key: 'project', label: 'Project', isExtra: true, width: '110px', value: ({ spec: { projectId } }) => projectId ?? '' },
  { key: 'zone', label: 'Zone', title: 'Requested zone', isExtra: true, width: '82px', value: zoneOf },
  {
    key: 'kept',
    label: 'Kept',
    title: 'The full record, which can be replayed exactly, or a summary: reasons, counts and destinations',
    // While the log is complete, all rows have the same value, so the column is hidden by default.
    isExtra: firstRevision === 0,
    width: '76px',
    value: (row) => keptOf(row, firstRevision),
  },
  {
    key: 'revision',
    label: 'Revision',
    title: 'The revision of the fleet on which the request was decided',
    isExtra: true,
    width: '90px',
    align: 'right',
    value: ({ fleetRevision }) => fleetRevision,
    cell: ({ fleetRevision }) => (
      <AnchorLink size="sm" to="/hosts" search={{ at: fleetRevision }} aria-label={`The fleet at revision ${fleetRevision}`}>
        {fleetRevision}
      </AnchorLink>
    ),
  },
]

/** The fields of a decision that are copied as CSV or JSON. `firstRevision` is the first revision in the log. */
export const decisionFieldsCopied = (firstRevision: number): readonly RowField<DecisionRow>[] => [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at, 'at'],
  ['outcome', ({ outcome }) => outcome, 'outcome'],
  ['flavor', ({ spec }) => spec.flavorName, 'flavor'],
  ['vcpus', ({ spec }) => spec.vcpus, 'flavor'],
  ['memoryMib', ({ spec }) => spec.memoryMb, 'flavor'],
  ['instances', ({ spec }) => spec.numInstances, 'n'],
  ['hosts', ({ hostCount }) => hostCount, 'funnel'],
  ['hostsLeft', ({ hostCount, funnel }) => countsOf(hostCount, funnel).at(-1) ?? hostCount, 'funnel'],
  ['hostOrReason', resultOf, 'result'],
  ['attempt', ({ attempt }) => attempt, 'attempt'],
  ['durationMs', ({ durationMs }) => durationMs, 'took'],
  ['account', ({ account }) => account, 'account'],
  ['profile', profileOf, 'profile'],
  ['instanceUuids', ({ instanceUuids }) => instanceUuids.join(', '), 'instance'],
  ['requestIds', ({ requestIds }) => requestIds.join(', '), 'request'],
  ['project', ({ spec }) => spec.projectId, 'project'],
  ['zone', ({ spec }) => spec.availabilityZone, 'zone'],
  ['kept', (row) => keptOf(row, firstRevision), 'kept'],
  ['fleetRevision', ({ fleetRevision }) => fleetRevision, 'revision'],
]

const keptOf = ({ fleetRevision }: DecisionRow, firstRevision: number): string =>
  Number(fleetRevision) < firstRevision ? 'summary' : 'all'

function profileOf({ profile }: DecisionRow): string {
  return profile === null ? '' : `${profile.profileName}@${profile.number}`
}

const zoneOf = ({ spec: { availabilityZone } }: DecisionRow): string => availabilityZone ?? ''

function askedOf({ spec: { flavorName, vcpus, memoryMb } }: DecisionRow): string {
  return flavorName ?? `${vcpus} vCPU, ${formatMib(memoryMb)}`
}

function resultOf({ destinations, cause }: DecisionRow): string {
  if (destinations.length > 0) return destinations.map(({ selected: { host } }) => labelOfHost(host)).join(', ')
  return cause?.text ?? ''
}

const WIDTH = 64
const HEIGHT = 16

/** The funnel in one line: a bar for each filter that refused hosts, and the first and the last count of hosts. */
function Spark({ row: { hostCount, funnel } }: { readonly row: DecisionRow }) {
  const counts = countsOf(hostCount, funnel)
  const width = WIDTH / counts.length
  return (
    <span title={funnelText(hostCount, funnel)}>
      <svg width={WIDTH} height={HEIGHT} aria-hidden="true" style={{ verticalAlign: 'middle' }}>
        {counts.map((count, i) => {
          const height = Math.max(1, barShare(count, hostCount, 'log') * HEIGHT)
          // biome-ignore lint/suspicious/noArrayIndexKey: a step has no identity but its position
          return <rect key={i} x={i * width} y={HEIGHT - height} width={Math.max(1, width - 1)} height={height} fill="var(--gantt-used)" />
        })}
      </svg>{' '}
      {endsText(counts)}
    </span>
  )
}
