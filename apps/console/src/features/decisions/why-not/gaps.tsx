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
      rows={[...gaps, { ...IN_TOTAL, gap: total, wouldFlipAt: undefined }]}
      rowKey={({ weigher }) => weigher}
      columns={[
        { head: 'Weigher', cell: ({ weigher, hostRaw }) => (hostRaw === null ? <b>{weigher}</b> : weigher) },
        {
          head: 'This host',
          cell: ({ hostRaw, hostMissing, unit }) => valueText(hostRaw, hostMissing, unit),
          title: ({ hostMissing }) => hostMissing ?? undefined,
        },
        {
          head: 'Selected host',
          cell: ({ winnerRaw, winnerMissing, unit }) => valueText(winnerRaw, winnerMissing, unit),
          title: ({ winnerMissing }) => winnerMissing ?? undefined,
        },
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

const IN_TOTAL = { weigher: 'in total', unit: '', hostRaw: null, winnerRaw: null, hostMissing: null, winnerMissing: null }

/** A raw value with its unit. `missing`: the host has no value of its own, and `raw` is a substitute. */
const valueText = (raw: number | null, missing: string | null, unit: string): string | null =>
  missing !== null ? 'not known' : raw === null ? null : `${formatNumber(raw)} ${unit}`

/** Rounding errors are not shown as a gap. */
const shown = (gap: number): string => formatSigned(gap, (size) => (size < 5e-7 ? '0' : formatNumber(size, 4)))
