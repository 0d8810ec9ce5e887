import { withTerm } from '@gantt/scheduler-core/query'
import { Group, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatAmount, formatCount, formatPercent } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Meter } from '../../ui/chart/meter.tsx'
import { Heading } from '../../ui/heading.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import type { Zone } from './figures.ts'

/** The usage by zone and class: the amounts used by instances, held by claims that reports do not count yet, and free. */
export function Capacity({ zones }: { readonly zones: readonly Zone[] }) {
  return (
    <section aria-label="Usage by zone">
      <Group justify="space-between">
        <Heading keys="1">Usage by zone</Heading>
        <Text size="xs" c="dimmed" aria-hidden className="g-meter-key">
          <i data-tone="used" /> used <i data-tone="claimed" /> claimed
        </Text>
      </Group>
      <SmallTable
        label="Zones and their resource classes"
        maxHeight="320px"
        rows={zones.flatMap(rowsOf)}
        rowKey={({ zone, usage }) => `${zone} ${usage?.resourceClass}`}
        rowAttributes={({ zone, usage }) => ({ 'data-zone': zone, 'data-class': usage?.resourceClass })}
        columns={[
          { head: 'Zone', cell: ({ zone, hosts }) => (hosts === undefined ? null : <HostsOf zone={zone}>{zone}</HostsOf>) },
          {
            head: 'Hosts',
            isNumber: true,
            cell: ({ zone, hosts }) =>
              hosts === undefined ? null : (
                <HostsOf zone={zone} label={`${formatCount(hosts)} hosts of ${zone}: open them`}>
                  {formatCount(hosts)}
                </HostsOf>
              ),
            attributes: ({ hosts }) => ({ 'data-hosts': hosts }),
          },
          { head: 'Class', cell: ({ usage }) => usage?.resourceClass ?? 'no capacity' },
          {
            head: '',
            className: 'g-meter-cell',
            cell: ({ zone, usage }) => (usage === undefined ? null : <UsageBar zone={zone} usage={usage} />),
          },
          {
            head: 'Taken',
            isNumber: true,
            cell: ({ usage }) => (usage === undefined ? null : formatPercent((100 * usage.used) / usage.capacity)),
            title: ({ usage }) => usage && exactOf(usage),
          },
          {
            head: 'Free',
            isNumber: true,
            cell: ({ usage }) => (usage === undefined ? null : formatAmount(usage.resourceClass, usage.free)),
            title: ({ usage }) => usage && exactOf(usage),
          },
        ]}
      />
    </section>
  )
}

interface HostsOfProps {
  readonly zone: string
  /** The accessible name of the link, if its text does not name the target. */
  readonly label?: string
  /** True if the link is a bar. A bar is not a tab stop, because the zone's name and its count of hosts link to the same page. */
  readonly isBar?: boolean
  readonly children: ReactNode
}

function HostsOf({ zone, label, isBar = false, children }: HostsOfProps) {
  return (
    <AnchorLink
      size="sm"
      to="/hosts"
      search={{ q: withTerm('', 'az', zone) }}
      title={`The hosts of ${zone}`}
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(isBar ? { className: 'overview-bar', tabIndex: -1 } : {})}
    >
      {children}
    </AnchorLink>
  )
}

type Usage = Zone['usage'][number]

interface Row {
  readonly zone: string
  /** The count of the zone's hosts. Only the first row of the zone has it. */
  readonly hosts: number | undefined
  /** The usage of one class. Undefined if the hosts of the zone have no capacity. */
  readonly usage: Usage | undefined
}

const rowsOf = ({ key, hosts, usage }: Zone): readonly Row[] =>
  (usage.length === 0 ? [undefined] : usage).map((one, i) => ({ zone: key, hosts: i === 0 ? hosts : undefined, usage: one }))

const exactOf = (usage: Usage): string =>
  `${formatCount(usage.used)} of ${formatCount(usage.capacity)} used, including ${formatCount(usage.claimed)} by claims; ${formatCount(usage.free)} free`

function UsageBar({ zone, usage }: { readonly zone: string; readonly usage: Usage }) {
  const { resourceClass, capacity, used, claimed } = usage
  const exact = exactOf(usage)
  return (
    <HostsOf zone={zone} label={`${resourceClass} of ${zone}, ${exact}: open its hosts`} isBar>
      <Meter
        title={exact}
        parts={[
          { share: (used - claimed) / capacity, tone: used > capacity ? 'problem' : 'used' },
          { share: claimed / capacity, tone: 'claimed' },
        ]}
      />
    </HostsOf>
  )
}
