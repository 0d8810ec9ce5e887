import { Skeleton, Text } from '@mantine/core'
import { useOperation } from '../../lib/service/api.ts'
import type { ResultOf } from '../../lib/service/graphql.ts'
import { Problem } from '../../ui/problem.tsx'
import { SmallTable } from '../../ui/table/small-table.tsx'
import { SETTINGS } from './documents.ts'

type Setting = ResultOf<typeof SETTINGS>['settings'][number]

/** The settings of the service and their sources. They cannot be changed on this page, because a process reads them only at its start. */
export function ServerSettings() {
  const { data, error, refetch } = useOperation(SETTINGS, {}, { staleMs: 60_000 })
  if (data === undefined)
    return error ? (
      <Problem error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton height={280} role="status" aria-label="Settings of the service are being loaded" />
    )
  const { health, settings } = data
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        Of the answering replica, {health.replica}, release {health.release}; its log is kept by {health.engine}. They are read from its
        environment when it starts.
      </Text>
      <SmallTable
        label="Settings of the service"
        rows={settings}
        rowKey={({ name }) => name}
        rowAttributes={({ name, source }) => ({ 'data-setting': name, 'data-source': source })}
        columns={[
          { head: 'Setting', className: 'mono', cell: ({ name }) => name },
          { head: 'Value', className: 'breaks', cell: shownOf },
          { head: 'From', cell: ({ source }) => (source === 'ENVIRONMENT' ? 'environment' : 'default') },
          { head: 'Description', cell: ({ description }) => description },
        ]}
      />
    </>
  )
}

function shownOf({ value, unit, isSecret, source }: Setting): string {
  if (isSecret) return source === 'ENVIRONMENT' ? 'set, hidden' : 'not set'
  if (value === null) return 'not set'
  return unit === null ? value : `${value} ${unit}`
}
