import { Table, Text } from '@mantine/core'
import { formatDuration, formatTime, readDuration, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { DECISION } from './documents.ts'

type Destination = NonNullable<ResultOf<typeof DECISION>['decision']>['destinations'][number]

interface DestinationsProps {
  readonly destinations: readonly Destination[]
  /** Of which kind each instance is, for a gang; otherwise nothing. */
  readonly members: readonly string[]
}

/** Where the instances went, and where they could have gone next. */
export function Destinations({ destinations, members }: DestinationsProps) {
  const zone = useTimeZone()
  if (destinations.length === 0) return null
  return (
    <section aria-label="Destinations">
      <Text component="h2" fw={600} size="md">
        Where it went
      </Text>
      <ScrollBox label="Destinations of the instances">
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Instance</Table.Th>
              {members.length === 0 ? null : <Table.Th>Member</Table.Th>}
              <Table.Th>Host</Table.Th>
              <Table.Th>Its report</Table.Th>
              <Table.Th>Claim</Table.Th>
              <Table.Th>Alternates</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {destinations.map(({ instanceUuid, selected, alternates }, i) => (
              <Table.Tr key={instanceUuid ?? `instance ${i + 1}`}>
                <Table.Td className="mono">{instanceUuid ?? i + 1}</Table.Td>
                {members.length === 0 ? null : <Table.Td data-member>{members[i]}</Table.Td>}
                <Table.Td>
                  <HostLink host={selected.host} />
                </Table.Td>
                <Table.Td data-report-age>{reportAgeOf(selected.reportAge)}</Table.Td>
                <Table.Td>
                  {selected.claim === null
                    ? 'none'
                    : `${selected.claim.state}${selected.claim.expiresAt === null ? '' : ` until ${formatTime(selected.claim.expiresAt, zone)}`}`}
                </Table.Td>
                <Table.Td>
                  {alternates.map(({ host, reportAge }) => (
                    <span key={`${host.name}/${host.node}`} title={`Its report: ${reportAgeOf(reportAge)}`}>
                      <HostLink host={host} />{' '}
                    </span>
                  ))}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollBox>
    </section>
  )
}

/** How old the last report was that said something new, when it was decided. */
const reportAgeOf = (age: string | null): string =>
  age === null ? 'of an age that is not known any more' : `${formatDuration(readDuration(age))} old`

function HostLink({ host: { name, node } }: { readonly host: { readonly name: string; readonly node: string } }) {
  const isOneOfMany = name !== node
  return (
    <AnchorLink size="sm" to="/hosts/$host" params={{ host: name }} search={isOneOfMany ? { node } : {}}>
      {isOneOfMany ? `${name}/${node}` : name}
    </AnchorLink>
  )
}
