import { Skeleton, Text } from '@mantine/core'
import { useOperation } from '../../lib/service/api.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { Heading } from '../../ui/heading.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { ChangeTable } from './change-table.tsx'
import { CHANGES, CHANGES_QUERY } from './documents.ts'

const REFRESH_MS = 15_000

/** The last changes by operators, with their accounts. Such changes often explain why the figures of the page have changed. */
export function Changes() {
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('OPERATE')
  const { data, error, refetch, dataUpdatedAt } = useOperation(
    CHANGES,
    { query: CHANGES_QUERY },
    { enabled: mayRead === true, everyMs: REFRESH_MS },
  )
  const rows = data?.auditLog.nodes
  return (
    <section aria-label="Recent changes">
      <Heading keys="5" call={mayRead === true ? { document: CHANGES, variables: { query: CHANGES_QUERY } } : undefined}>
        Recent changes
      </Heading>
      {noScopes ? <Problem error={noScopes} onRetry={retry} /> : null}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {mayRead === false ? (
        <Text size="sm" c="dimmed">
          Only a key with the scope OPERATE can read the audit; yours has {scopes.join(', ')}.
        </Text>
      ) : rows === undefined ? (
        error || noScopes ? null : (
          <Skeleton height={48} role="status" aria-label="The audit is being read" />
        )
      ) : rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          No changes yet.
        </Text>
      ) : (
        <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
          <ChangeTable label="The newest changes" changes={rows} isAge />
        </Stale>
      )}
    </section>
  )
}
