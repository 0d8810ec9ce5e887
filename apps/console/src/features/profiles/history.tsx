import { Skeleton, Text } from '@mantine/core'
import { formatTime, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { actionOf, historyQuery } from './course.ts'
import { HISTORY } from './documents.ts'
import { REFRESH_MS } from './refresh.ts'

/** Lists the changes of the profile from the audit, which only keys with the scope OPERATE may read. */
export function History({ name }: { readonly name: string }) {
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('OPERATE')
  const zone = useTimeZone()
  const variables = { query: historyQuery(name) }
  const { data, error, refetch } = useOperation(HISTORY, variables, { enabled: mayRead === true, everyMs: REFRESH_MS })
  const actions = (data?.auditLog.nodes ?? []).flatMap((row) => {
    const action = actionOf(row)
    return action === undefined ? [] : [{ ...row, deed: action }]
  })
  return (
    <section aria-label="History">
      <Heading keys="5" call={mayRead === true ? { document: HISTORY, variables } : undefined}>
        History
      </Heading>
      {noScopes ? <Problem error={noScopes} onRetry={retry} /> : null}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {mayRead === false ? (
        <Text size="sm" c="dimmed">
          Only a key with the scope OPERATE can read the audit; yours has {scopes.join(', ')}.
        </Text>
      ) : data === undefined ? (
        error || noScopes ? null : (
          <Skeleton height={48} role="status" aria-label="The audit is being read" />
        )
      ) : (
        <SmallTable
          label="Profile history"
          maxHeight="240px"
          empty="No changes in the retained audit."
          rows={actions}
          rowKey={({ id }) => id}
          rowAttributes={() => ({ 'data-action': true })}
          columns={[
            { head: 'Time', className: 'narrow', cell: ({ at }) => formatTime(at, zone), title: ({ at }) => titleOfTime(at) },
            { head: 'Account', className: 'narrow', cell: ({ account }) => account },
            { head: 'Change', cell: ({ deed: action }) => action },
          ]}
        />
      )}
    </section>
  )
}
