import { withTerm } from '@gantt/scheduler-core/query'
import { Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useOperation } from '../../lib/api.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { Heads } from '../../ui/heads.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { ELSEWHERE } from './documents.ts'

interface DecisionsElsewhereProps {
  readonly host: string
  /** What names the host and its node for the question. */
  readonly label: string
}

/** The newest decisions that did not choose the host. A record keeps no verdict for each host, so the answer is a question away. */
export function DecisionsElsewhere({ host, label }: DecisionsElsewhereProps) {
  const zone = useTimeZone()
  const { data, error, refetch } = useOperation(ELSEWHERE, { query: `-${withTerm('', 'host', host)}` })
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined || data.decisions.nodes.length === 0) return null
  return (
    <ScrollBox label="Decisions without this host">
      <Text size="sm">The newest decisions that did not choose it. What kept it out, each of them tells when it is asked.</Text>
      <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="Recent decisions without this host">
        <Heads names={['When', 'Outcome', 'Account', 'Why not here']} />
        <Table.Tbody>
          {data.decisions.nodes.map(({ id, at, outcome, account }) => (
            <Table.Tr key={id}>
              <Table.Td title={titleOfTime(at)}>{formatTime(at, zone)}</Table.Td>
              <Table.Td>{outcome.replaceAll('_', ' ').toLowerCase()}</Table.Td>
              <Table.Td>{account}</Table.Td>
              <Table.Td>
                <Link
                  className="host-link"
                  to="/decisions/$id"
                  params={{ id }}
                  search={{ host: label }}
                  aria-label={`why not this host (${formatTime(at, zone)})`}
                >
                  why not this host
                </Link>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
