import { withTerm } from '@gantt/scheduler-core/query'
import { Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { formatAmount, formatCount, formatGib, formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { TimeLeft } from '../../ui/age.tsx'
import { Heads } from '../../ui/heads.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import type { HostDetail } from './host-usage.tsx'

/** What holds room here at present. */
export function HostClaims({ claims }: { readonly claims: HostDetail['claims'] }) {
  if (claims.nodes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No claim holds anything here.
      </Text>
    )
  return (
    <ScrollBox label="Claims">
      {claims.totalCount > claims.nodes.length ? (
        <Text size="sm">
          The oldest {formatCount(claims.nodes.length)} of {formatCount(claims.totalCount)} claims.
        </Text>
      ) : null}
      <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="Live claims">
        <Heads names={['Instance', 'State', 'Holds', 'Ends', 'Account', 'Why here']} />
        <Table.Tbody>
          {claims.nodes.map(({ id, state, instanceUuid, expiresAt, account, resources, pools, decision }) => (
            <Table.Tr key={id}>
              <Table.Td className="mono">{instanceUuid ?? 'not named'}</Table.Td>
              <Table.Td>{state.toLowerCase()}</Table.Td>
              <Table.Td>
                {resources.map((one) => `${one.resourceClass} ${formatAmount(one.resourceClass, one.amount)}`).join(', ')}
                {pools.map(({ pool, gib }) => (
                  <div key={pool}>
                    of it in pool <span className="mono">{pool}</span>: {formatGib(gib)}
                  </div>
                ))}
              </Table.Td>
              <Table.Td>{expiresAt === null ? 'held for good' : <TimeLeft untilMs={Date.parse(expiresAt)} />}</Table.Td>
              <Table.Td>{account}</Table.Td>
              <Table.Td>
                <Link
                  className="host-link"
                  to="/decisions/$id"
                  params={{ id: decision.id }}
                  aria-label={`its decision (${instanceUuid ?? id})`}
                >
                  its decision
                </Link>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}

interface HostDecisionsProps {
  readonly host: string
  readonly decisions: HostDetail['recentDecisions']
}

/** Decisions that chose the host, newest first; all of them are a link away. */
export function HostDecisions({ host, decisions }: HostDecisionsProps) {
  const zone = useTimeZone()
  if (decisions.nodes.length === 0)
    return (
      <Text size="sm" c="dimmed">
        No decision that is still kept chose this host.
      </Text>
    )
  return (
    <ScrollBox label="Decisions">
      {decisions.totalCount > decisions.nodes.length ? (
        <Text size="sm">
          The newest {formatCount(decisions.nodes.length)}.{' '}
          <Link className="host-link" to="/decisions" search={{ q: withTerm('', 'host', host) }}>
            All {formatCount(decisions.totalCount)} decisions that chose this host
          </Link>
        </Text>
      ) : null}
      <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="Recent decisions">
        <Heads names={['When', 'Outcome', 'Account']} />
        <Table.Tbody>
          {decisions.nodes.map(({ id, at, outcome, account }) => (
            <Table.Tr key={id}>
              <Table.Td title={titleOfTime(at)}>
                <Link className="host-link" to="/decisions/$id" params={{ id }}>
                  {formatTime(at, zone)}
                </Link>
              </Table.Td>
              <Table.Td>{outcome.replaceAll('_', ' ').toLowerCase()}</Table.Td>
              <Table.Td>{account}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollBox>
  )
}
