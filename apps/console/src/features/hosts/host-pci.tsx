import { withTerm } from '@gantt/scheduler-core/query'
import { Table } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatCount, formatPercent } from '../../lib/format.ts'
import { Meter } from '../../ui/meter.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { HostDetail } from './host-usage.tsx'

type Pool = HostDetail['pciPools'][number]

/** The PCI devices of a host, those alike in one row: how many there are, what is left, and which claims hold some. */
export function HostPci({ pools }: { readonly pools: readonly Pool[] }) {
  return (
    <ScrollBox label="PCI pools">
      <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="PCI devices by kind">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Vendor and product</Table.Th>
            <Table.Th>Type</Table.Th>
            <Table.Th>NUMA cell</Table.Th>
            <Table.Th>Tags</Table.Th>
            <Table.Th className="number">Total</Table.Th>
            <Table.Th className="number">Used</Table.Th>
            <Table.Th className="number">Free</Table.Th>
            <Table.Th style={{ minWidth: 120 }}>Given</Table.Th>
            <Table.Th>Held by</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {pools.map((pool) => (
            <PoolRow key={pool.key} pool={pool} />
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

function PoolRow({ pool }: { readonly pool: Pool }) {
  const { key, vendorId, productId, deviceType, numaNode, tags, total, used, free, holders } = pool
  const share = total > 0 ? (total - free) / total : 0
  return (
    <Table.Tr data-pool={key}>
      <Table.Th scope="row" className="mono">
        {vendorId}:{productId}
      </Table.Th>
      <Table.Td>{deviceType ?? 'not told'}</Table.Td>
      <Table.Td>{numaNode ?? 'not known'}</Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {tags.length === 0 ? 'none' : tags.map((tag) => `${tag.key}=${tag.value}`).join(', ')}
      </Table.Td>
      <Table.Td className="number">{formatCount(total)}</Table.Td>
      <Table.Td className="number" title={used === null ? 'Its report leaves that to claims.' : 'As its report counts.'}>
        {used === null ? 'by claims' : formatCount(used)}
      </Table.Td>
      <Table.Td className="number" style={free < 0 ? { color: 'var(--gantt-fail)' } : undefined}>
        {formatCount(free)}
      </Table.Td>
      <Table.Td>
        <div className="g-percent">
          <Meter parts={[{ share, tone: free < 0 ? 'problem' : 'used' }]} title={`${formatCount(total - free)} of ${formatCount(total)}`} />
          <span className="number">{formatPercent(100 * share)}</span>
        </div>
      </Table.Td>
      <Table.Td>{holders.length === 0 ? 'no claim' : holders.map((holder) => <Holder key={holder.claim.id} holder={holder} />)}</Table.Td>
    </Table.Tr>
  )
}

/** A claim with its instance, which the list of claims finds; without one its decision says why it is here. */
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
