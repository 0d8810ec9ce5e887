import { Skeleton, Text } from '@mantine/core'
import { useOperation } from '../../lib/api.ts'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useScopes } from '../../lib/scopes.ts'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SmallTable } from '../../ui/small-table.tsx'
import { deedOf, historyQuery } from './course.ts'
import { HISTORY } from './documents.ts'
import { REFRESH_MS } from './refresh.ts'

/** Who did what with the profile, and when: from the audit, which not every key may read. */
export function History({ name }: { readonly name: string }) {
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('OPERATE')
  const zone = useTimeZone()
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
      ) : (
        <SmallTable
          label="What was done with the profile"
          maxHeight="240px"
          empty="Nobody changed it, as far as the audit goes back."
          rows={deeds}
          rowKey={({ id }) => id}
          rowAttributes={() => ({ 'data-deed': true })}
          columns={[
            { head: 'When', className: 'narrow', cell: ({ at }) => formatTime(at, zone), title: ({ at }) => titleOfTime(at) },
            { head: 'Who', className: 'narrow', cell: ({ account }) => account },
            { head: 'What', cell: ({ deed }) => deed },
          ]}
        />
      )}
    </section>
  )
}
