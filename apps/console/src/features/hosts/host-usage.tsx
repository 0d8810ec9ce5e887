import { Text } from '@mantine/core'
import { formatAmount, formatCount, formatPercent, formatTime, type TimeZoneChoice, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { Meter } from '../../ui/chart/meter.tsx'
import { type SmallColumn, SmallTable } from '../../ui/table/small-table.tsx'
import type { HOST } from './documents.ts'

export type HostDetail = NonNullable<ResultOf<typeof HOST>['host']>
export type Usage = HostDetail['capacity'][number]

/** The host's resources by class, with the complete computation of each free amount. */
export function HostUsage({ capacity }: { readonly capacity: readonly Usage[] }) {
  return (
    <>
      <SmallTable
        label="Usage by resource class"
        rows={capacity}
        rowKey={({ resourceClass }) => resourceClass}
        columns={[
          { head: 'Class', isRowHead: true, cell: ({ resourceClass }) => resourceClass },
          amount('(Total', ({ total }) => total),
          amount('− reserved)', ({ reserved }) => reserved),
          { head: '× ratio', isNumber: true, cell: ({ allocationRatio }) => formatCount(allocationRatio) },
          amount('= capacity', (usage) => usage.capacity),
          amount('− used', ({ used }) => used),
          amount('− claimed', ({ claimed }) => claimed),
          amount('= free', ({ free }) => free),
          { head: 'Used and claimed', className: 'g-meter-cell', cell: (usage) => <UsageMeter usage={usage} /> },
        ]}
      />
      <AllocationOrigins capacity={capacity} />
    </>
  )
}

/** For each ratio and reserved amount that does not come from the report: who set it, when, and the reason. */
function AllocationOrigins({ capacity }: { readonly capacity: readonly Usage[] }) {
  const choice = useTimeZone()
  const origins = capacity.flatMap(({ resourceClass, ratioFrom, reservedFrom }) =>
    [
      { what: 'ratio', origin: ratioFrom },
      { what: 'reserved', origin: reservedFrom },
    ].flatMap(({ what, origin }) =>
      origin.source === 'REPORT' || origin.source === 'NONE' ? [] : [`${resourceClass} ${what}: ${originText(origin, choice)}`],
    ),
  )
  return origins.map((text) => (
    <Text size="xs" c="dimmed" key={text}>
      {text}
    </Text>
  ))
}

function originText({ source, by, at, reason, aggregate, release }: Usage['ratioFrom'], choice: TimeZoneChoice): string {
  const set = [...(by === null ? [] : [`set by ${by}`]), ...(at === null ? [] : [formatTime(at, choice)])].join(', ')
  const edit = set === '' ? '' : ` (${set}${reason === null ? '' : `: ${reason}`})`
  switch (source) {
    case 'HOST':
      return `set for this host${edit}`
    case 'AGGREGATE':
      return `the least of its aggregates, ${aggregate?.name ?? ''}${edit}`
    case 'FLEET':
      return `set for the fleet${edit}`
    case 'NOVA_DEFAULT':
      return `the default of Nova ${release ?? ''}${edit}`
    default:
      return 'its report'
  }
}

/** A bar with the used and the claimed share of a class, and the sum of both shares as text. */
export function UsageMeter({ usage: { capacity, used, claimed, free } }: { readonly usage: Usage }) {
  const share = (amount: number): number => (capacity > 0 ? amount / capacity : 0)
  return (
    <div className="g-percent">
      <Meter
        parts={[
          { share: share(used), tone: free < 0 ? 'problem' : 'used' },
          { share: share(claimed), tone: 'claimed' },
        ]}
        title={`used ${formatPercent(100 * share(used))}, claimed ${formatPercent(100 * share(claimed))}`}
      />
      <span className="number">{formatPercent(100 * share(used + claimed))}</span>
    </div>
  )
}

/** A column with exact amounts, because they are parts of a sum. The title of a cell has the amount in a larger unit. */
const amount = (head: string, numberOf: (usage: Usage) => number): SmallColumn<Usage> => ({
  head,
  isNumber: true,
  cell: (usage) => formatCount(numberOf(usage)),
  title: (usage) => formatAmount(usage.resourceClass, numberOf(usage)),
  attributes: (usage) => ({
    'data-value': numberOf(usage),
    style: numberOf(usage) < 0 ? { color: 'var(--gantt-fail)' } : undefined,
  }),
})
