import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useCallback, useMemo } from 'react'
import { formatCount } from '../../lib/format.ts'
import { useOperation } from '../../lib/service/api.ts'
import { CopyList, wholeList } from '../../ui/copy-list.tsx'
import { Heading } from '../../ui/heading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Stale } from '../../ui/stale.tsx'
import { ColumnChooser } from '../../ui/table/column-chooser.tsx'
import { ListTable } from '../../ui/table/list-table.tsx'
import { AuditorPanel } from './auditor-panel.tsx'
import { problemsOf, type Replica } from './compare.ts'
import { REPLICA_STATES } from './documents.ts'
import { HealthPanel } from './health-panel.tsx'
import { replicaColumns, replicaFieldsCopied } from './replica-columns.tsx'

/** Replicas send a heartbeat every two seconds. */
const REFRESH_MS = 2_000
const none: readonly Replica[] = []

/** The page of all replicas with their lag and the comparison of their states, and the auditor of the answering replica. */
export function ReplicasPage() {
  const { data, error, dataUpdatedAt, refetch } = useOperation(REPLICA_STATES, {}, { everyMs: REFRESH_MS })
  const replicas = data?.replicas ?? none
  const columns = useMemo(() => replicaColumns(replicas), [replicas])
  const keyOf = useCallback((index: number) => replicas[index]?.id ?? index, [replicas])
  const fields = useMemo(() => replicaFieldsCopied(replicas), [replicas])
  const whole = useMemo(() => wholeList(replicas), [replicas])
  return (
    <Page
      title="Replicas"
      aside={
        <CopyList
          {...{ list: 'replicas', nouns: ['replica', 'replicas'], pages: whole, columns, fields }}
          call={{ document: REPLICA_STATES }}
          items={[['Command line', () => 'gantt replicas']]}
        />
      }
    >
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      <Stale error={error} atMs={dataUpdatedAt} everyMs={REFRESH_MS}>
        <Stack gap="sm">
          {data === undefined ? (
            error ? null : (
              <Skeleton height={200} role="status" aria-label="Replicas are being loaded" />
            )
          ) : (
            <>
              {problemsOf(replicas).map((problem) => (
                <Alert key={problem} color="yellow" p="xs" role="status" data-trouble>
                  {problem}
                </Alert>
              ))}
              <section aria-label="All replicas">
                <Group justify="space-between">
                  <Heading keys="1">All replicas</Heading>
                  <ColumnChooser list="replicas" columns={columns} />
                </Group>
                <Text size="sm" role="status" data-count={replicas.length}>
                  {formatCount(replicas.filter(({ live }) => live).length)} of {formatCount(replicas.length)}{' '}
                  {replicas.length === 1 ? 'replica is' : 'replicas are'} live. A replica without a heartbeat for a day is not listed.
                </Text>
                <ListTable
                  list="replicas"
                  label="Replicas"
                  columns={columns}
                  count={replicas.length}
                  row={(index) => replicas[index]}
                  keyOf={keyOf}
                  // opening a row does nothing, because the row shows all facts about the replica
                  onOpen={() => undefined}
                />
              </section>
              <HealthPanel health={data.health} log={data.fleetLog} replicas={data.replicas} />
              <AuditorPanel replica={data.health.replica} auditor={data.auditor} />
            </>
          )}
        </Stack>
      </Stale>
    </Page>
  )
}
