import { Table, Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import type { Call } from '../../lib/wire.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Meter } from '../../ui/meter.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { type Activity, FAILED, queryOf } from './figures.ts'

/** Why requests failed, the most frequent reason first; each opens its decisions. */
export function Failures({ activity, call }: { readonly activity: Activity; readonly call: Call }) {
  const { failed, failures, failuresCut } = activity
  const most = failures[0]?.decisions ?? 1
  const unexplained = failuresCut ? 0 : failed - failures.reduce((sum, { decisions }) => sum + decisions, 0)
  return (
    <section aria-label="Why requests fail">
      <Heading keys="3" call={call}>
        Why requests fail
      </Heading>
      {failed === 0 ? (
        <Text size="sm" c="dimmed">
          None failed in this time.
        </Text>
      ) : (
        <>
          <ScrollBox label="Causes, by how many requests failed for them" maxHeight="240px">
            <Table verticalSpacing={2} stickyHeader>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Cause</Table.Th>
                  <Table.Th className="number">Failed</Table.Th>
                  <Table.Th />
                  <Table.Th>The newest says</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {failures.map(({ code, decisions, text }) => (
                  <Table.Tr key={code} data-code={code}>
                    <Table.Td>{code}</Table.Td>
                    <Table.Td className="number">
                      <AnchorLink
                        size="sm"
                        to="/decisions"
                        search={{ q: queryOf(activity, `${FAILED} cause:${code}`) }}
                        aria-label={`${formatCount(decisions)} failed for ${code}: open them`}
                      >
                        {formatCount(decisions)}
                      </AnchorLink>
                    </Table.Td>
                    <Table.Td className="g-meter-cell">
                      <Meter parts={[{ share: decisions / most, tone: 'problem' }]} />
                    </Table.Td>
                    <Table.Td className="overview-text" title={text}>
                      {text}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </ScrollBox>
          <Text size="xs" c="dimmed">
            Each counts once, at what most of the hosts that it admits were refused for.
            {failuresCut ? ' Only the newest 20,000 were looked through.' : ''}
            {unexplained > 0 && (
              <>
                {' '}
                <AnchorLink
                  size="xs"
                  to="/decisions"
                  search={{ q: queryOf(activity, `${FAILED} -cause:*`) }}
                  data-unexplained={unexplained}
                >
                  {formatCount(unexplained)} more
                </AnchorLink>{' '}
                kept no cause: some of their instances were placed, or there was no host.
              </>
            )}
          </Text>
        </>
      )}
    </section>
  )
}
