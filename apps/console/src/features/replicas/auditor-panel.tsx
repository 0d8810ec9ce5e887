import { Alert, Code, Table, Text } from '@mantine/core'
import { formatCount, formatDuration, readDuration } from '../../lib/format.ts'
import { Age } from '../../ui/age.tsx'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { Standing } from './compare.ts'

type Auditor = Standing['auditor']

/** What the auditor of the replica that answers found in its state, and when it had looked at everything. */
export function AuditorPanel({ replica, auditor }: { readonly replica: string; readonly auditor: Auditor }) {
  const { violations, findings } = auditor
  return (
    <section aria-label="What its auditor finds" data-violations={violations}>
      <Heading keys="3">What its auditor finds</Heading>
      <Text size="sm" role="status">
        <Looked auditor={auditor} />
      </Text>
      {violations === 0 ? (
        <Text size="sm">Nothing that cannot be.</Text>
      ) : (
        <>
          <Alert color="red" p="xs" title={`${formatCount(violations)} ${violations === 1 ? 'thing' : 'things'} that cannot be`}>
            Ask {replica} how its state differs from the log, then make it anew without --dry-run:{' '}
            <Code>gantt replicas --heal --dry-run</Code>.
          </Alert>
          <Findings findings={findings} />
        </>
      )}
    </section>
  )
}

function Looked({ auditor: { checkedAt, round, rounds, looked, comparisons, agreedAt } }: { readonly auditor: Auditor }) {
  if (checkedAt === null) return <>It is in its first round: it has looked at {formatCount(looked)} things so far.</>
  return (
    <>
      It had looked at everything <Age atMs={Date.parse(checkedAt)} ago />, for the {formatCount(rounds)}. time
      {round === null ? '' : `, which took ${formatDuration(readDuration(round))}`}.{' '}
      {comparisons === 0 ? (
        'There is no other replica to compare with.'
      ) : (
        <>
          {formatCount(comparisons)} digests were compared with those of others
          {agreedAt === null ? (
            '; none was equal'
          ) : (
            <>
              , one was equal <Age atMs={Date.parse(agreedAt)} ago />
            </>
          )}
          .
        </>
      )}
    </>
  )
}

function Findings({ findings }: Pick<Auditor, 'findings'>) {
  return (
    <ScrollBox label="What cannot be" maxHeight="320px">
      <Table verticalSpacing={2} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Code</Table.Th>
            <Table.Th>Where</Table.Th>
            <Table.Th>Should be</Table.Th>
            <Table.Th>Is</Table.Th>
            <Table.Th>Breaks</Table.Th>
            <Table.Th>Since</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {findings.map(({ code, promise, subject, name, host, field, expected, actual, since }) => (
            <Table.Tr key={`${code} ${subject} ${name} ${field}`} data-finding={code}>
              <Table.Td>{code}</Table.Td>
              <Table.Td className="running-text">
                {subject} {name}
                {host === null ? '' : ' on '}
                {host === null ? null : (
                  <AnchorLink size="sm" to="/hosts/$host" params={{ host }}>
                    {host}
                  </AnchorLink>
                )}
                , {field}
              </Table.Td>
              <Table.Td>{expected}</Table.Td>
              <Table.Td>{actual}</Table.Td>
              <Table.Td>{promise}</Table.Td>
              <Table.Td>
                <Age atMs={Date.parse(since)} ago />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
