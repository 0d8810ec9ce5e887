import { auditFields } from '@gantt/scheduler-core/query'
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { useScopes } from '../../lib/scopes.ts'
import { quoteForShell } from '../../lib/shell.ts'
import { usePages } from '../../lib/use-pages.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { NeedsScope } from '../../ui/needs-scope.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table, type TableColumn } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { AuditEntry } from './audit-entry.tsx'
import { LIST } from './documents.ts'
import { type AuditRow, csvOf } from './rows.ts'

const route = getRouteApi('/audit')

const REFRESH_MS = 15_000

/** Who did what, and how it ended: the rows of the audit, newest first. */
export function AuditPage() {
  const { q = '', row: opened } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const { scopes, may, error: noScopes, retry } = useScopes()
  const mayRead = may('OPERATE')
  const [active, setActive] = useState(-1)
  const list = usePages(LIST, { q }, ({ auditLog }) => auditLog, { enabled: mayRead === true, everyMs: REFRESH_MS })
  const { rows, total, error, isLoading, isOld, onRange, refresh } = list
  const columns = useMemo(() => columnsIn(zone), [zone])
  const filter = (next: string, how: 'typing' | 'applied'): void =>
    void navigate({ search: next === '' ? {} : { q: next }, replace: how === 'typing' })
  const show = (row: string | undefined): void =>
    void navigate({ search: { ...(q === '' ? {} : { q }), ...(row === undefined ? {} : { row }) } })
  const open = (index: number): void => show(rows[index]?.id)
  useTableKeys({ count: rows.length, active, onActive: setActive, onOpen: open })
  const entry = rows.find(({ id }) => id === opened)

  if (mayRead === false)
    return (
      <Page title="Audit">
        <NeedsScope what="The rows of the audit" scope="OPERATE" scopes={scopes} />
      </Page>
    )
  return (
    <Page
      title="Audit"
      aside={
        <CopyAs
          items={[
            ['Link', () => location.href],
            ['Command line', () => `gantt audit list${q === '' ? '' : ` --query ${quoteForShell(q)}`}`],
            [`CSV, the ${formatCount(rows.length)} rows that are loaded`, () => csvOf(rows)],
          ]}
          graphiql={toGraphiql(LIST, { q })}
        />
      }
    >
      <Stack gap="xs">
        <FilterBar label="Filter the audit" fields={auditFields} value={q} onChange={filter} />
        {noScopes ? <Problem error={noScopes} onRetry={retry} /> : null}
        {error === null ? null : <Problem error={error} onRetry={refresh} />}
        {isLoading || mayRead === undefined ? (
          noScopes ? null : (
            <Skeleton height={280} role="status" aria-label="The audit is being loaded" />
          )
        ) : error === null && rows.length === 0 ? (
          <NoRow q={q} onClear={() => filter('', 'applied')} />
        ) : rows.length === 0 ? null : (
          <div className={isOld ? 'stale' : undefined}>
            <Text size="sm" fw={600} role="status" data-count={total} mb={4}>
              {formatCount(total)} {total === 1 ? 'call' : 'calls'}
            </Text>
            {entry === undefined ? null : <AuditEntry entry={entry} onClose={() => show(undefined)} />}
            <Table
              label="Audit"
              columns={columns}
              count={rows.length}
              row={(index) => rows[index]}
              rowKey={(index) => rows[index]?.id ?? String(index)}
              active={active}
              onActive={setActive}
              onOpen={open}
              onRange={onRange}
              listKey={q}
            />
          </div>
        )}
        <Text size="xs" c="dimmed">
          Rows are never changed, and each holds the hash of the one before: <Code>gantt audit verify</Code> works them out again.
        </Text>
      </Stack>
    </Page>
  )
}

const columnsIn = (zone: TimeZoneChoice): TableColumn<AuditRow>[] => [
  {
    key: 'at',
    label: 'Time',
    width: '155px',
    value: ({ at }) => formatTime(at, zone),
    cell: ({ at }) => <span title={titleOfTime(at)}>{formatTime(at, zone)}</span>,
  },
  { key: 'account', label: 'Account', width: 'minmax(100px, 1fr)', value: ({ account }) => account },
  { key: 'mutation', label: 'What', width: 'minmax(160px, 1.4fr)', value: ({ mutation }) => mutation },
  {
    key: 'target',
    label: 'About',
    width: 'minmax(180px, 2.4fr)',
    value: ({ target }) => target,
    cell: ({ target }) => <span title={target}>{target}</span>,
  },
  { key: 'result', label: 'How it ended', width: 'minmax(160px, 1.4fr)', value: ({ result }) => result },
  { key: 'seq', label: 'Row', width: '80px', align: 'right', value: ({ seq }) => formatCount(seq) },
]

function NoRow({ q, onClear }: { readonly q: string; onClear(): void }) {
  if (q === '') return <Empty title="Nobody called anything yet">Every mutation will be a row here.</Empty>
  return (
    <Empty title="No row matches">
      None is like <Code>{q}</Code>.
      <Group justify="center" mt="sm">
        <Button size="compact-sm" variant="outline" onClick={onClear}>
          Clear the filter
        </Button>
      </Group>
    </Empty>
  )
}
