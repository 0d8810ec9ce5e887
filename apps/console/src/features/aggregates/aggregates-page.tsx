import { aggregateFields } from '@gantt/scheduler-core/query'
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { getRouteApi } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { commandOf } from '../../lib/copies.ts'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { useAt } from '../../lib/travel.ts'
import { usePages } from '../../lib/use-pages.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table, type TableColumn } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { WriteButton } from '../../ui/write-button.tsx'
import { CreateAggregate } from './create-aggregate.tsx'
import { LIST } from './documents.ts'
import { REFRESH_MS } from './use-refresh.ts'

const route = getRouteApi('/aggregates')

type Row = ResultOf<typeof LIST>['aggregates']['nodes'][number]

/** Sets of hosts: zones, and what filters read from metadata. */
export function AggregatesPage() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const at = useAt()
  const zone = useTimeZone()
  const [isCreating, creating] = useDisclosure(false)
  const [active, setActive] = useState(-1)
  const { rows, total, error, isLoading, isOld, onRange, refresh } = usePages(LIST, { q }, ({ aggregates }) => aggregates, {
    everyMs: REFRESH_MS,
  })
  const columns = useMemo(() => columnsIn(zone), [zone])
  const filter = (next: string, how: 'typing' | 'applied'): void =>
    void navigate({ search: next === '' ? {} : { q: next }, replace: how === 'typing' })
  const open = (index: number): void => {
    const uuid = rows[index]?.uuid
    if (uuid !== undefined) void navigate({ to: '/aggregates/$uuid', params: { uuid } })
  }
  useTableKeys({ count: rows.length, active, onActive: setActive, onOpen: open })
  useShortcuts([{ keys: 'c', label: 'Create an aggregate', isWrite: true, run: creating.open }])

  return (
    <Page
      title="Aggregates"
      aside={
        <>
          <CopyAs
            call={{ document: LIST, variables: { q } }}
            items={[['Command line', () => commandOf('gantt aggregates', { query: q, at })]]}
          />
          <WriteButton size="compact-sm" onClick={creating.open}>
            Create
          </WriteButton>
        </>
      }
    >
      <Stack gap="xs">
        <FilterBar label="Filter aggregates" fields={aggregateFields} value={q} onChange={filter} />
        {error === null ? null : <Problem error={error} onRetry={refresh} />}
        {isLoading ? (
          <Skeleton height={200} role="status" aria-label="Aggregates are being loaded" />
        ) : error === null && rows.length === 0 ? (
          <NoAggregate q={q} onClear={() => filter('', 'applied')} onCreate={creating.open} />
        ) : rows.length === 0 ? null : (
          <div className={isOld ? 'stale' : undefined}>
            <Text size="sm" fw={600} role="status" data-count={total} mb={4}>
              {formatCount(total)} {total === 1 ? 'aggregate' : 'aggregates'}
            </Text>
            <Table
              label="Aggregates"
              columns={columns}
              count={rows.length}
              row={(index) => rows[index]}
              rowKey={(index) => rows[index]?.uuid ?? String(index)}
              active={active}
              onActive={setActive}
              onOpen={open}
              onRange={onRange}
            />
          </div>
        )}
      </Stack>
      {isCreating ? (
        <CreateAggregate
          onClose={creating.close}
          onDone={(uuid) => {
            creating.close()
            void navigate({ to: '/aggregates/$uuid', params: { uuid } })
          }}
        />
      ) : null}
    </Page>
  )
}

const columnsIn = (zone: TimeZoneChoice): TableColumn<Row>[] => [
  { key: 'name', label: 'Name', width: 'minmax(160px, 1.5fr)', value: ({ name }) => name },
  { key: 'az', label: 'Zone', width: '120px', value: ({ availabilityZone }) => availabilityZone ?? '' },
  { key: 'hosts', label: 'Members', width: '90px', align: 'right', value: ({ hostNames }) => formatCount(hostNames.length) },
  {
    key: 'metadata',
    label: 'Metadata',
    width: 'minmax(220px, 3fr)',
    value: ({ metadata }) => metadata.map(({ key, value }) => `${key}=${value}`).join('  '),
  },
  { key: 'version', label: 'Version', width: '80px', align: 'right', value: ({ version }) => version },
  {
    key: 'updated',
    label: 'Updated',
    width: '160px',
    value: ({ updatedAt }) => formatTime(updatedAt, zone),
    cell: ({ updatedAt }) => <span title={titleOfTime(updatedAt)}>{formatTime(updatedAt, zone)}</span>,
  },
]

function NoAggregate({ q, onClear, onCreate }: { readonly q: string; onClear(): void; onCreate(): void }) {
  if (q !== '')
    return (
      <Empty title="No aggregate matches">
        None is like <Code>{q}</Code>.
        <Group justify="center" mt="sm">
          <Button size="compact-sm" variant="outline" onClick={onClear}>
            Clear the filter
          </Button>
        </Group>
      </Empty>
    )
  const command = 'gantt aggregates --help'
  return (
    <Empty title="No aggregate yet">
      An aggregate is a set of hosts with metadata. One with the key availability_zone is a zone; others tell filters what their hosts are
      for, such as ssd=true.
      <Group justify="center" mt="sm" gap="xs">
        <WriteButton size="compact-sm" onClick={onCreate}>
          Create the first
        </WriteButton>
        <Code>{command}</Code>
        <CopyButton text={command}>Copy</CopyButton>
      </Group>
    </Empty>
  )
}
