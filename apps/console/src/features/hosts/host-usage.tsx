import { Table, Text } from '@mantine/core'
import { formatAmount, formatCount, formatPercent, formatTime, type TimeZoneChoice, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { Meter } from '../../ui/meter.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { HOST } from './documents.ts'

export type HostDetail = NonNullable<ResultOf<typeof HOST>['host']>
export type Usage = HostDetail['capacity'][number]

/** What it has and gives, class by class, with the whole sum: who reads a number sees where it comes from. */
export function HostUsage({ capacity }: { readonly capacity: readonly Usage[] }) {
  return (
    <ScrollBox label="Usage sums">
      <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="Usage by resource class">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Class</Table.Th>
            <Table.Th className="number">(Total</Table.Th>
            <Table.Th className="number">− reserved)</Table.Th>
            <Table.Th className="number">× ratio</Table.Th>
            <Table.Th className="number">= capacity</Table.Th>
            <Table.Th className="number">− used</Table.Th>
            <Table.Th className="number">− claimed</Table.Th>
            <Table.Th className="number">= free</Table.Th>
            <Table.Th style={{ minWidth: 140 }}>Used and claimed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {capacity.map((usage) => (
            <UsageRow key={usage.resourceClass} usage={usage} />
          ))}
        </Table.Tbody>
      </Table>
      <AllocationOrigins capacity={capacity} />
    </ScrollBox>
  )
}

/** Ratios and reserved amounts that are not the report's own: who set them, when, and why. */
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

function UsageRow({ usage }: { readonly usage: Usage }) {
  const { resourceClass, total, reserved, allocationRatio, capacity, used, claimed, free } = usage
  return (
    <Table.Tr>
      <Table.Th scope="row">{resourceClass}</Table.Th>
      <Amount of={resourceClass} value={total} />
      <Amount of={resourceClass} value={reserved} />
      <Table.Td className="number">{formatCount(allocationRatio)}</Table.Td>
      <Amount of={resourceClass} value={capacity} />
      <Amount of={resourceClass} value={used} />
      <Amount of={resourceClass} value={claimed} />
      <Amount of={resourceClass} value={free} />
      <Table.Td>
        <UsageMeter usage={usage} />
      </Table.Td>
    </Table.Tr>
  )
}

/** How much of a class is taken, and by whom. */
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

/** The exact number, for it is part of a sum; in a larger unit in its title. */
function Amount({ of, value }: { readonly of: string; readonly value: number }) {
  return (
    <Table.Td
      className="number"
      title={formatAmount(of, value)}
      data-value={value}
      style={value < 0 ? { color: 'var(--gantt-fail)' } : undefined}
    >
      {formatCount(value)}
    </Table.Td>
  )
}
