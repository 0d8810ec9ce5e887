import { auditFields } from '@gantt/scheduler-core/query'
import { Code, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useRef } from 'react'
import { changed } from '../../lib/browser/list-search.ts'
import { commandOf } from '../../lib/copies.ts'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../lib/format.ts'
import { useScopes } from '../../lib/service/scopes.ts'
import { usePages } from '../../lib/service/use-pages.ts'
import { CopyList } from '../../ui/copy-list.tsx'
import { NeedsScope } from '../../ui/dialog/needs-scope.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { PagedList } from '../../ui/table/paged-list.tsx'
import type { TableColumn } from '../../ui/table/table.tsx'
import { AuditEntry } from './audit-entry.tsx'
import { LIST } from './documents.ts'
import { type AuditRow, auditFieldsCopied } from './rows.ts'

const route = getRouteApi('/audit')

const REFRESH_MS = 15_000

/** The page of the audit: all calls of mutations with their results, newest first. */
export function AuditPage() {
  const { scopes, may, error, retry } = useScopes()
  const mayRead = may('OPERATE')
  if (mayRead === true) return <Rows />
  return (
    <Page title="Audit">
      {error ? <Problem error={error} onRetry={retry} /> : null}
      {mayRead === false ? <NeedsScope what="the rows of the audit" scope="OPERATE" scopes={scopes} /> : null}
    </Page>
  )
}

function Rows() {
  const { q = '', row: opened } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const pages = usePages(LIST, { q }, ({ auditLog }) => auditLog, { everyMs: REFRESH_MS })
  const { rows } = pages
  const columns = useMemo(() => columnsIn(zone), [zone])
  const show = (row: string | undefined): void => void navigate({ search: (before) => changed(before, { row }) })
  // audit rows never change, so the open row is kept even if it is no longer in the loaded part of the list
  const read = useRef<AuditRow | undefined>(undefined)
  read.current = rows.find(({ id }) => id === opened) ?? (read.current?.id === opened ? read.current : undefined)
  const { current: entry } = read
  return (
    <Page
      title="Audit"
      aside={
        <CopyList
          {...{ list: 'audit', nouns, pages, columns, fields: auditFieldsCopied }}
          items={[['Command line', () => commandOf('gantt audit list', { query: q })]]}
          call={{ document: LIST, variables: { q } }}
        />
      }
    >
      <PagedList
        list="audit"
        label="Audit"
        filterLabel="Filter the audit"
        nouns={nouns}
        fields={auditFields}
        pages={pages}
        columns={columns}
        keyOf={keyOf}
        onOpen={({ id }) => show(id)}
        // The list leaves space for the line of text below it.
        table={{ height: 'calc(100vh - 230px - var(--g-chips, 0px))' }}
        none={<Empty title="No audit rows yet">Every mutation will be a row here.</Empty>}
      >
        {entry === undefined ? null : <AuditEntry entry={entry} onClose={() => show(undefined)} />}
      </PagedList>
      <Text size="xs" c="dimmed" mt="xs">
        Rows are never changed, and each holds the hash of the one before: <Code>gantt audit verify</Code> recomputes them.
      </Text>
    </Page>
  )
}

const nouns = ['call', 'calls'] as const

const keyOf = ({ id }: AuditRow): string => id

const columnsIn = (zone: TimeZoneChoice): TableColumn<AuditRow>[] => [
  {
    key: 'at',
    label: 'Time',
    width: '155px',
    value: ({ at }) => formatTime(at, zone),
    cell: ({ at }) => <span title={titleOfTime(at)}>{formatTime(at, zone)}</span>,
  },
  { key: 'account', label: 'Account', width: 'minmax(100px, 1fr)', value: ({ account }) => account },
  { key: 'mutation', label: 'Operation', width: 'minmax(160px, 1.4fr)', value: ({ mutation }) => mutation },
  {
    key: 'target',
    label: 'Target',
    width: 'minmax(180px, 2.4fr)',
    value: ({ target }) => target,
    cell: ({ target }) => <span title={target}>{target}</span>,
  },
  { key: 'result', label: 'Result', width: 'minmax(160px, 1.4fr)', value: ({ result }) => result },
  { key: 'seq', label: 'Row', width: '66px', align: 'right', value: ({ seq }) => formatCount(seq) },
]
