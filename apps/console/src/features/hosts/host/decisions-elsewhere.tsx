import { withTerm } from '@gantt/scheduler-core/query'
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { useOperation } from '../../../lib/service/api.ts'
import { Problem } from '../../../ui/problem.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import { ELSEWHERE } from '../documents.ts'

interface DecisionsElsewhereProps {
  readonly host: string
  /** The host as HOST or HOST/NODE, for the link to "why not this host". */
  readonly label: string
}

/**
 * The newest decisions that chose other hosts. Their records do not have the verdicts on this host, so each row links to "why not this
 * host".
 */
export function DecisionsElsewhere({ host, label }: DecisionsElsewhereProps) {
  const zone = useTimeZone()
  const { data, error, refetch } = useOperation(ELSEWHERE, { query: `-${withTerm('', 'host', host)}` })
  if (error !== null) return <Problem error={error} onRetry={() => void refetch()} />
  if (data === undefined || data.decisions.nodes.length === 0) return null
  return (
    <>
      <Text size="sm">The newest decisions that did not choose this host. Open one to see why.</Text>
      <SmallTable
        label="Recent decisions without this host"
        rows={data.decisions.nodes}
        rowKey={({ id }) => id}
        columns={[
          { head: 'Time', cell: ({ at }) => formatTime(at, zone), title: ({ at }) => titleOfTime(at) },
          { head: 'Outcome', cell: ({ outcome }) => outcome.replaceAll('_', ' ').toLowerCase() },
          { head: 'Account', cell: ({ account }) => account },
          {
            head: 'Why not',
            cell: ({ id, at }) => (
              <Link
                className="host-link"
                to="/decisions/$id"
                params={{ id }}
                search={{ host: label }}
                aria-label={`why not this host (${formatTime(at, zone)})`}
              >
                why not this host
              </Link>
            ),
          },
        ]}
      />
    </>
  )
}
