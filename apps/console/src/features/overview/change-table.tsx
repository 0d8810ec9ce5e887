import { withTimes } from '@gantt/scheduler-core/query'
import { Table, Text } from '@mantine/core'
import { formatCount, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Mark } from './use-marks.ts'

interface ChangeTableProps {
  readonly marks: readonly Mark[]
  /** How many there are in all. */
  readonly total: number
}

/** The marks of the chart as rows, each of which leads to its row of the audit. */
export function ChangeTable({ marks, total }: ChangeTableProps) {
  const zone = useTimeZone()
  return (
    <>
      <ScrollBox label="Changes in this time" maxHeight="160px">
        <Table verticalSpacing={1} stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Changed</Table.Th>
              <Table.Th>Who</Table.Th>
              <Table.Th>What</Table.Th>
              <Table.Th>About</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {marks.map(({ id, at, account, mutation, target }) => (
              <Table.Tr key={id} data-marked={mutation}>
                <Table.Td className="overview-narrow" title={titleOfTime(at)}>
                  {formatTime(at, zone)}
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
      {total > marks.length ? (
        <Text size="xs" c="dimmed">
          The newest {formatCount(marks.length)} of {formatCount(total)} are marked.
        </Text>
      ) : null}
    </>
  )
}
