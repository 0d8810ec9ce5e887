import { Alert, Skeleton, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '../../lib/api.ts'
import { formatCount } from '../../lib/format.ts'
import { Heading } from '../../ui/heading.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { AuditorPanel } from './auditor-panel.tsx'
import { troublesOf } from './compare.ts'
import { STANDING } from './documents.ts'
import { HealthPanel } from './health-panel.tsx'
import { replicaColumns } from './replica-columns.tsx'

/** Replicas give a sign every two seconds. */
const REFRESH_MS = 2_000

/** Who serves, how far behind the log, whether all have one state, and what the one that answers finds in its own. */
export function ReplicasPage() {
  const [active, setActive] = useState(-1)
  const { data, error, refetch } = useOperation(STANDING, {}, { everyMs: REFRESH_MS })
  const replicas = data?.replicas ?? []
  useTableKeys({ count: replicas.length, active, onActive: setActive, onOpen: setActive })
  return (
    <Page title="Replicas">
      <Stack gap="sm" className={error && data !== undefined ? 'stale' : undefined}>
        {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
        {data === undefined ? (
          error ? null : (
            <Skeleton height={200} role="status" aria-label="Replicas are being loaded" />
          )
        ) : (
          <>
            {troublesOf(replicas).map((trouble) => (
              <Alert key={trouble} color="yellow" p="xs" role="status" data-trouble>
                {trouble}
              </Alert>
            ))}
            <section aria-label="Who follows the log">
              <Heading keys="1">Who follows the log</Heading>
              <Text size="sm" role="status" data-count={replicas.length}>
                {formatCount(replicas.filter(({ live }) => live).length)} of {formatCount(replicas.length)} that gave a sign within a day
                are alive.
              </Text>
              <Table
                label="Replicas"
                columns={replicaColumns(replicas)}
                count={replicas.length}
                row={(index) => replicas[index]}
                rowKey={(index) => replicas[index]?.id ?? String(index)}
                active={active}
                onActive={setActive}
                onOpen={setActive}
              />
            </section>
            <HealthPanel health={data.health} log={data.fleetLog} />
            <AuditorPanel replica={data.health.replica} auditor={data.auditor} />
          </>
        )}
      </Stack>
    </Page>
  )
}
