import { withTerm } from '@gantt/scheduler-core/query'
import { Group, Table, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { formatAmount, formatCount, formatPercent } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Meter } from '../../ui/meter.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Zone } from './figures.ts'

/** How full each zone is, class by class: what instances use, what claims hold beside it, what is free. */
export function Capacity({ zones }: { readonly zones: readonly Zone[] }) {
  return (
    <section aria-label="How full the zones are">
      <Group justify="space-between">
        <Heading keys="1">How full the zones are</Heading>
        <Text size="xs" c="dimmed" aria-hidden className="g-meter-key">
          <i data-tone="used" /> used <i data-tone="claimed" /> claimed
        </Text>
      </Group>
      <ScrollBox label="Zones and their resource classes" maxHeight="320px">
        <Table verticalSpacing={2} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Zone</Table.Th>
              <Table.Th className="number">Hosts</Table.Th>
              <Table.Th>Class</Table.Th>
              <Table.Th />
              <Table.Th className="number">Taken</Table.Th>
              <Table.Th className="number">Free</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {zones.flatMap(({ key, hosts, usage }) =>
              // a zone whose hosts have nothing to give is one too
              (usage.length === 0 ? [undefined] : usage).map((one, i) => (
                <Table.Tr key={`${key} ${one?.resourceClass}`} data-zone={key} data-class={one?.resourceClass}>
                  <Table.Td>{i === 0 ? <HostsOf zone={key}>{key}</HostsOf> : null}</Table.Td>
                  <Table.Td className="number" data-hosts={i === 0 ? hosts : undefined}>
                    {i === 0 ? (
                      <HostsOf zone={key} label={`${formatCount(hosts)} hosts of ${key}: open them`}>
                        {formatCount(hosts)}
                      </HostsOf>
                    ) : null}
                  </Table.Td>
                  {one === undefined ? <Table.Td colSpan={4}>nothing to give</Table.Td> : <ClassCells zone={key} usage={one} />}
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </section>
  )
}

interface HostsOfProps {
  readonly zone: string
  /** What it opens, where the text does not say it. */
  readonly label?: string
  /** A bar: keys come to its name and its count. */
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

interface ClassCellsProps {
  readonly zone: string
  readonly usage: Zone['usage'][number]
}

function ClassCells({ zone, usage: { resourceClass, capacity, used, claimed, free } }: ClassCellsProps) {
  const exact = `${formatCount(used)} of ${formatCount(capacity)} taken, of that ${formatCount(claimed)} by claims; ${formatCount(free)} free`
  return (
    <>
      <Table.Td>{resourceClass}</Table.Td>
      <Table.Td className="g-meter-cell">
        <HostsOf zone={zone} label={`${resourceClass} of ${zone}, ${exact}: open its hosts`} isBar>
          <Meter
            title={exact}
            parts={[
              { share: (used - claimed) / capacity, tone: used > capacity ? 'problem' : 'used' },
              { share: claimed / capacity, tone: 'claimed' },
            ]}
          />
        </HostsOf>
      </Table.Td>
      <Table.Td className="number" title={exact}>
        {formatPercent((100 * used) / capacity)}
      </Table.Td>
      <Table.Td className="number" title={exact}>
        {formatAmount(resourceClass, free)}
      </Table.Td>
    </>
  )
}
