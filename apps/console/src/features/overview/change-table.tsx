import { withTimes } from '@gantt/scheduler-core/query'
import { Table } from '@mantine/core'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { Age } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heads } from '../../ui/heads.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Mark } from './use-marks.ts'

interface ChangeTableProps {
  readonly label: string
  readonly changes: readonly Mark[]
  /** Tells how long ago, not when. */
  readonly isAge?: boolean
  readonly maxHeight?: string
}

/** What people did: its time leads to the fleet as it was then, its name to its row of the audit. */
export function ChangeTable({ label, changes, isAge = false, maxHeight }: ChangeTableProps) {
  const zone = useTimeZone()
  return (
    <ScrollBox label={label} {...(maxHeight === undefined ? {} : { maxHeight })}>
      <Table verticalSpacing={2} stickyHeader>
        <Heads names={['When', 'Who', 'What', 'About']} />
        <Table.Tbody>
          {changes.map(({ id, at, account, mutation, target }) => (
            <Table.Tr key={id} data-change={mutation}>
              <Table.Td className="overview-narrow" title={titleOfTime(at)}>
                <AnchorLink size="sm" to="/hosts" search={{ at }} aria-label={`${mutation} of ${target}: the fleet as it was then`}>
                  {isAge ? <Age atMs={Date.parse(at)} ago /> : formatTime(at, zone)}
                </AnchorLink>
              </Table.Td>
              <Table.Td className="overview-narrow">{account}</Table.Td>
              <Table.Td className="overview-narrow">
                <AnchorLink
                  size="sm"
                  to="/audit"
                  search={{ q: withTimes('', Date.parse(at), Date.parse(at) + 1), row: id }}
                  aria-label={`${mutation} of ${target}: its row of the audit`}
                >
                  {mutation}
                </AnchorLink>
              </Table.Td>
              <Table.Td className="overview-text" title={target}>
                {target}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
