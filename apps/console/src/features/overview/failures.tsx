import { Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import type { Call } from '../../lib/wire.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Meter } from '../../ui/meter.tsx'
import { SmallTable } from '../../ui/small-table.tsx'
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
          <SmallTable
            label="Causes, by how many requests failed for them"
            maxHeight="240px"
            rows={failures}
            rowKey={({ code }) => code}
            rowAttributes={({ code }) => ({ 'data-code': code })}
            columns={[
              { head: 'Cause', cell: ({ code }) => code },
              {
                head: 'Failed',
                isNumber: true,
                cell: ({ code, decisions }) => (
                  <AnchorLink
                    size="sm"
                    to="/decisions"
                    search={{ q: queryOf(activity, `${FAILED} cause:${code}`) }}
                    aria-label={`${formatCount(decisions)} failed for ${code}: open them`}
                  >
                    {formatCount(decisions)}
                  </AnchorLink>
                ),
              },
              {
                head: '',
                className: 'g-meter-cell',
                cell: ({ decisions }) => <Meter parts={[{ share: decisions / most, tone: 'problem' }]} />,
              },
              { head: 'The newest says', className: 'rest', cell: ({ text }) => text, title: ({ text }) => text },
            ]}
          />
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
