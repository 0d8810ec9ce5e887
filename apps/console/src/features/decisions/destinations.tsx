import { Text } from '@mantine/core'
import { formatDuration, formatTime, readDuration, useTimeZone } from '../../lib/format.ts'
import { labelOfHost } from '../../lib/host-label.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import type { DECISION } from './documents.ts'

type Destination = NonNullable<ResultOf<typeof DECISION>['decision']>['destinations'][number]

interface DestinationsProps {
  readonly destinations: readonly Destination[]
  /** The kind of each instance if the request has several kinds of instances. Otherwise empty. */
  readonly members: readonly string[]
}

/** The chosen hosts of the instances, and the alternates. */
export function Destinations({ destinations, members }: DestinationsProps) {
  const zone = useTimeZone()
  if (destinations.length === 0) return null
  return (
    <section aria-label="Destinations">
      <Text component="h2" fw={600} size="md">
        Destinations
      </Text>
      <SmallTable
        label="Destinations of the instances"
        rows={destinations.map((one, i) => ({ ...one, number: i + 1 }))}
        rowKey={({ instanceUuid, number }) => instanceUuid ?? number}
        columns={[
          { head: 'Instance', className: 'mono', cell: ({ instanceUuid, number }) => instanceUuid ?? number },
          ...(members.length === 0
            ? []
            : [
                {
                  head: 'Member',
                  cell: ({ number }: { readonly number: number }) => members[number - 1],
                  attributes: () => ({ 'data-member': true }),
                },
              ]),
          { head: 'Host', cell: ({ selected }) => <HostLink host={selected.host} /> },
          {
            head: 'Report age',
            cell: ({ selected }) => reportAgeOf(selected.reportAge),
            attributes: () => ({ 'data-report-age': true }),
          },
          {
            head: 'Claim',
            cell: ({ selected: { claim } }) =>
              claim === null ? 'none' : `${claim.state}${claim.expiresAt === null ? '' : ` until ${formatTime(claim.expiresAt, zone)}`}`,
          },
          {
            head: 'Alternates',
            cell: ({ alternates }) =>
              alternates.map(({ host, reportAge }) => (
                <span key={`${host.name}/${host.node}`} title={`Report age: ${reportAgeOf(reportAge)}`}>
                  <HostLink host={host} />{' '}
                </span>
              )),
          },
        ]}
      />
    </section>
  )
}

/** The age of the last report with new content, at the time of the decision. */
const reportAgeOf = (age: string | null): string => (age === null ? 'unknown' : `${formatDuration(readDuration(age))}`)

function HostLink({ host }: { readonly host: { readonly name: string; readonly node: string; readonly hasOtherNodes: boolean } }) {
  const { name, node } = host
  return (
    <AnchorLink size="sm" to="/hosts/$host" params={{ host: name }} search={name === node ? {} : { node }}>
      {labelOfHost(host)}
    </AnchorLink>
  )
}
