import { withTerm } from '@gantt/scheduler-core/query'
import { Link } from '@tanstack/react-router'
import { formatCount, formatPercent } from '../../../lib/format.ts'
import { Meter } from '../../../ui/chart/meter.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { HostDetail } from '../host-usage.tsx'

type Pool = HostDetail['pciPools'][number]

/** The PCI devices of a host. Equal devices share one row with their count, the count of free devices, and the claims that hold devices. */
export function HostPci({ pools }: { readonly pools: readonly Pool[] }) {
  return (
    <SmallTable
      label="PCI devices by kind"
      rows={pools}
      rowKey={({ key }) => key}
      rowAttributes={({ key }) => ({ 'data-pool': key })}
      columns={[
        { head: 'Vendor and product', isRowHead: true, className: 'mono', cell: ({ vendorId, productId }) => `${vendorId}:${productId}` },
        { head: 'Type', cell: ({ deviceType }) => deviceType ?? 'not reported' },
        { head: 'NUMA cell', cell: ({ numaNode }) => numaNode ?? 'not known' },
        {
          head: 'Tags',
          className: 'breaks',
          cell: ({ tags }) => (tags.length === 0 ? 'none' : tags.map(({ key, value }) => `${key}=${value}`).join(', ')),
        },
        { head: 'Total', isNumber: true, cell: ({ total }) => formatCount(total) },
        {
          head: 'Used',
          isNumber: true,
          cell: ({ used }) => (used === null ? 'by claims' : formatCount(used)),
          title: ({ used }) => (used === null ? 'Not reported: counted from claims.' : 'As reported.'),
        },
        {
          head: 'Free',
          isNumber: true,
          cell: ({ free }) => formatCount(free),
          attributes: ({ free }) => ({ style: free < 0 ? { color: 'var(--gantt-fail)' } : undefined }),
        },
        { head: 'In use', className: 'g-meter-cell', cell: (pool) => <Given pool={pool} /> },
        {
          head: 'Held by',
          cell: ({ holders }) =>
            holders.length === 0 ? 'no claim' : holders.map((holder) => <Holder key={holder.claim.id} holder={holder} />),
        },
      ]}
    />
  )
}

function Given({ pool: { total, free } }: { readonly pool: Pool }) {
  const share = total > 0 ? (total - free) / total : 0
  return (
    <div className="g-percent">
      <Meter parts={[{ share, tone: free < 0 ? 'problem' : 'used' }]} title={`${formatCount(total - free)} of ${formatCount(total)}`} />
      <span className="number">{formatPercent(100 * share)}</span>
    </div>
  )
}

/** A claim that holds devices: a link to its instance in the list of claims, or to its decision if it has no instance. */
function Holder({ holder: { count, claim } }: { readonly holder: Pool['holders'][number] }) {
  const { state, instanceUuid, decision } = claim
  return (
    <div>
      {formatCount(count)} by{' '}
      {instanceUuid === null ? (
        <Link className="host-link" to="/decisions/$id" params={{ id: decision.id }}>
          a claim without an instance
        </Link>
      ) : (
        <Link className="host-link mono" to="/claims" search={{ q: withTerm('', 'instance', instanceUuid) }}>
          {instanceUuid}
        </Link>
      )}{' '}
      ({state.toLowerCase()})
    </div>
  )
}
