import { Table, Text } from '@mantine/core'
import { formatAmount, formatCount } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { CHECK } from './documents.ts'

interface ZoneShiftProps {
  readonly zones: ResultOf<typeof CHECK>['compareProfiles']['zones']
  /** Numbers of the versions. */
  readonly baseline: number
  readonly candidate: number
}

/** How many instances either version puts into each zone, and what these take there. */
export function ZoneShift({ zones, baseline, candidate }: ZoneShiftProps) {
  if (zones.length === 0) return null
  return (
    <>
      <Text component="h3" fw={600} size="sm" mt="xs">
        Where instances go, and what they take there
      </Text>
      <ScrollBox label="Instances and resources by zone" maxHeight="360px">
        <Table verticalSpacing={2} w="auto" stickyHeader>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Zone</Table.Th>
              <Table.Th>Takes</Table.Th>
              <Table.Th className="number">by version {baseline}</Table.Th>
              <Table.Th className="number">by version {candidate}</Table.Th>
              <Table.Th className="number">shift</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {zones.map(({ zone, resources, ...instances }) =>
              [{ resourceClass: INSTANCES, ...instances }, ...resources].map(({ resourceClass, baseline: before, candidate: then }) => (
                <Table.Tr key={`${zone} ${resourceClass}`} data-zone={zone} data-takes={resourceClass} data-shift={then - before}>
                  <Table.Td>{resourceClass !== INSTANCES ? null : zone === '' ? 'no zone' : zone}</Table.Td>
                  <Table.Td>{resourceClass}</Table.Td>
                  <Table.Td className="number">{formatAmount(resourceClass, before)}</Table.Td>
                  <Table.Td className="number">{formatAmount(resourceClass, then)}</Table.Td>
                  <Table.Td className="number" title={formatCount(then - before)}>
                    {signed(resourceClass, then - before)}
                  </Table.Td>
                </Table.Tr>
              )),
            )}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </>
  )
}

/** No resource class has small letters. */
const INSTANCES = 'instances'

const signed = (resourceClass: string, shift: number): string =>
  shift === 0 ? '0' : `${shift < 0 ? '−' : '+'}${formatAmount(resourceClass, Math.abs(shift))}`
