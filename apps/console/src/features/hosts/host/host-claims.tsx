import { withTerm } from '@gantt/scheduler-core/query'
import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatAmount, formatCount, formatGib, formatTime, titleOfTime, useTimeZone } from '../../../lib/format.ts'
import { TimeLeft } from '../../../ui/age.tsx'
import { SmallTable } from '../../../ui/table/small-table.tsx'
import type { HostDetail } from '../host-usage.tsx'

/** The claims that hold resources of the host at present. */
export function HostClaims({ claims }: { readonly claims: HostDetail['claims'] }) {
  return (
    <>
      {claims.totalCount > claims.nodes.length ? (
        <Text size="sm">
          The oldest {formatCount(claims.nodes.length)} of {formatCount(claims.totalCount)} claims.
        </Text>
      ) : null}
      <SmallTable
        label="Live claims"
        empty="No live claims."
        rows={claims.nodes}
        rowKey={({ id }) => id}
        columns={[
          { head: 'Instance', className: 'mono', cell: ({ instanceUuid }) => instanceUuid ?? 'unnamed' },
          { head: 'State', cell: ({ state }) => state.toLowerCase() },
          {
            head: 'Resources',
            cell: ({ resources, pools }) => (
              <>
                {resources.map((one) => `${one.resourceClass} ${formatAmount(one.resourceClass, one.amount)}`).join(', ')}
                {pools.map(({ pool, gib }) => (
                  <div key={pool}>
                    of it in pool <span className="mono">{pool}</span>: {formatGib(gib)}
                  </div>
                ))}
              </>
            ),
          },
          {
            head: 'Expires',
            cell: ({ expiresAt }) => (expiresAt === null ? 'no expiry' : <TimeLeft untilMs={Date.parse(expiresAt)} />),
          },
          { head: 'Account', cell: ({ account }) => account },
          {
            head: 'Decision',
            cell: ({ id, instanceUuid, decision }) => (
              <Link
                className="host-link"
                to="/decisions/$id"
                params={{ id: decision.id }}
                aria-label={`its decision (${instanceUuid ?? id})`}
              >
                its decision
              </Link>
            ),
          },
        ]}
      />
    </>
  )
}

interface HostDecisionsProps {
  readonly host: string
  readonly decisions: HostDetail['recentDecisions']
}

/** The newest decisions that chose the host, with a link to all decisions that chose it. */
export function HostDecisions({ host, decisions }: HostDecisionsProps) {
  const zone = useTimeZone()
  return (
    <>
      {decisions.totalCount > decisions.nodes.length ? (
        <Text size="sm">
          The newest {formatCount(decisions.nodes.length)}.{' '}
          <Link className="host-link" to="/decisions" search={{ q: withTerm('', 'host', host) }}>
            All {formatCount(decisions.totalCount)} decisions that chose this host
          </Link>
        </Text>
      ) : null}
      <SmallTable
        label="Recent decisions"
        empty="No retained decision chose this host."
        rows={decisions.nodes}
        rowKey={({ id }) => id}
        columns={[
          {
            head: 'Time',
            cell: ({ id, at }) => (
              <Link className="host-link" to="/decisions/$id" params={{ id }}>
                {formatTime(at, zone)}
              </Link>
            ),
            title: ({ at }) => titleOfTime(at),
          },
          { head: 'Outcome', cell: ({ outcome }) => outcome.replaceAll('_', ' ').toLowerCase() },
          { head: 'Account', cell: ({ account }) => account },
        ]}
      />
    </>
  )
}
