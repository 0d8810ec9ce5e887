import { formatNumber, formatSigned } from '../../../lib/format.ts'
import type { ResultOf } from '../../../lib/service/graphql.ts'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { WHY_NOT } from '../documents.ts'

type Gap = ResultOf<typeof WHY_NOT>['whyNot']['versusWinner'][number]

/** The difference between a host and the chosen host, by weigher. */
export function Gaps({ gaps }: { readonly gaps: readonly Gap[] }) {
  const total = gaps.reduce((sum, { gap }) => sum + gap, 0)
  return (
    <SmallTable
      label="This host compared with the selected host, by weigher"
      rows={[...gaps, { weigher: 'in total', unit: '', hostRaw: null, winnerRaw: null, gap: total, wouldFlipAt: undefined }]}
      rowKey={({ weigher }) => weigher}
      columns={[
        { head: 'Weigher', cell: ({ weigher, hostRaw }) => (hostRaw === null ? <b>{weigher}</b> : weigher) },
        { head: 'This host', cell: ({ hostRaw, unit }) => (hostRaw === null ? null : `${formatNumber(hostRaw)} ${unit}`) },
        { head: 'Selected host', cell: ({ winnerRaw, unit }) => (winnerRaw === null ? null : `${formatNumber(winnerRaw)} ${unit}`) },
        { head: 'Gap in the total', isNumber: true, cell: ({ gap, hostRaw }) => (hostRaw === null ? <b>{shown(-gap)}</b> : shown(-gap)) },
        {
          head: 'would be first at',
          isNumber: true,
          cell: ({ wouldFlipAt }) =>
            wouldFlipAt === undefined ? null : wouldFlipAt === null ? (
              <span className="dimmed">none</span>
            ) : (
              `× ${formatNumber(wouldFlipAt, 4)}`
            ),
          title: ({ wouldFlipAt }) => (wouldFlipAt == null ? undefined : String(wouldFlipAt)),
          attributes: ({ wouldFlipAt }) => ({ 'data-flip-at': wouldFlipAt === null ? '' : wouldFlipAt }),
        },
      ]}
    />
  )
}

/** Rounding errors are not shown as a gap. */
const shown = (gap: number): string => formatSigned(gap, (size) => (size < 5e-7 ? '0' : formatNumber(size, 4)))
