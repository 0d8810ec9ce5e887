import { Text } from '@mantine/core'
import { formatCount } from '../../lib/format.ts'
import type { Call } from '../../lib/service/wire.ts'
import { AnchorLink } from '../../ui/anchor-link.tsx'
import { Meter } from '../../ui/chart/meter.tsx'
import { Heading } from '../../ui/heading.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { type Activity, FAILED, queryOf } from './figures.ts'

/** The causes of failures, the most frequent first, each with a link to its decisions. */
export function Failures({ activity, call }: { readonly activity: Activity; readonly call: Call }) {
  const { failed, failures, failuresCut } = activity
  const most = failures[0]?.decisions ?? 1
  const unexplained = failuresCut ? 0 : failed - failures.reduce((sum, { decisions }) => sum + decisions, 0)
  return (
    <section aria-label="Failure causes">
      <Heading keys="3" call={call}>
        Failure causes
      </Heading>
      {failed === 0 ? (
        <Text size="sm" c="dimmed">
          No failures in this period.
        </Text>
      ) : (
        <>
          <SmallTable
            label="Failures by cause"
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
              { head: 'Newest example', className: 'rest', cell: ({ text }) => text, title: ({ text }) => text },
            ]}
          />
          <Text size="xs" c="dimmed">
            Each failed decision counts once, under the reason for which most of the hosts that its request admits were refused.
            {failuresCut ? ' Only the newest 20,000 failed decisions were examined.' : ''}
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
                have no recorded cause: some of their instances were placed, or there was no host.
              </>
            )}
          </Text>
        </>
      )}
    </section>
  )
}
