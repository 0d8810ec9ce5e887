import { Skeleton, Table, Text } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useScopes } from '../../lib/scopes.ts'
import { Heading } from '../../ui/heading.tsx'
import { Heads } from '../../ui/heads.tsx'
import { Problem } from '../../ui/problem.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { deedOf, historyQuery } from './course.ts'
import { HISTORY } from './documents.ts'
import { REFRESH_MS } from './refresh.ts'

/** Who did what with the profile, and when: from the audit, which not every key may read. */
export function History({ name }: { readonly name: string }) {
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('OPERATE')
  const variables = { query: historyQuery(name) }
  const { data, error, refetch } = useOperation(HISTORY, variables, { enabled: mayRead === true, everyMs: REFRESH_MS })
  const deeds = (data?.auditLog.nodes ?? []).flatMap((row) => {
    const deed = deedOf(row)
    return deed === undefined ? [] : [{ ...row, deed }]
  })
  return (
    <section aria-label="Who did what">
      <Heading keys="5" call={mayRead === true ? { document: HISTORY, variables } : undefined}>
        Who did what
      </Heading>
      {noScopes ? <Problem error={noScopes} onRetry={retry} /> : null}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {mayRead === false ? (
        <Text size="sm" c="dimmed">
          It stands in the audit, which a key needs OPERATE to read; yours has {scopes.join(', ')}.
        </Text>
      ) : data === undefined ? (
        error || noScopes ? null : (
          <Skeleton height={48} role="status" aria-label="The audit is being read" />
        )
      ) : deeds.length === 0 ? (
        <Text size="sm" c="dimmed">
          Nobody changed it, as far as the audit goes back.
        </Text>
      ) : (
        <ScrollBox label="What was done with the profile" maxHeight="240px">
          <Table verticalSpacing={3} stickyHeader>
            <Heads names={['When', 'Who', 'What']} />
            <Table.Tbody>
              {deeds.map(({ id, at, account, deed }) => (
                <Table.Tr key={id} data-deed>
                  <Table.Td className="profile-narrow" title={titleOfTime(at)}>
                    <Time at={at} />
                  </Table.Td>
                  <Table.Td className="profile-narrow">{account}</Table.Td>
                  <Table.Td>{deed}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollBox>
      )}
    </section>
  )
}

function Time({ at }: { readonly at: string }) {
  const zone = useTimeZone()
  return formatTime(at, zone)
}
