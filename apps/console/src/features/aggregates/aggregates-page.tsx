import { aggregateFields } from '@gantt/scheduler-core/query'
import { Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { operationKey, request } from '../../lib/api.ts'
import { formatCount, formatTime, type TimeZoneChoice, titleOfTime, useTimeZone } from '../../lib/format.ts'
import type { ResultOf } from '../../lib/graphql.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table, type TableColumn } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { CreateAggregate } from './create-aggregate.tsx'
import { LIST } from './documents.ts'
import { REFRESH_MS } from './use-refresh.ts'

const route = getRouteApi('/aggregates')

type Row = ResultOf<typeof LIST>['aggregates']['nodes'][number]

/** Sets of hosts: zones, and what filters read from metadata. */
export function AggregatesPage() {
  const { q = '' } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const [isCreating, creating] = useDisclosure(false)
  const [active, setActive] = useState(-1)
  const { data, error, isLoading, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery({
    queryKey: operationKey(LIST, { q, after: null }),
    queryFn: ({ pageParam, signal }) => request(LIST, { q, after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ aggregates: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (previous) => previous,
    refetchInterval: REFRESH_MS,
  })
  const rows = useMemo(() => data?.pages.flatMap(({ aggregates }) => aggregates.nodes) ?? [], [data])
  const total = data?.pages[0]?.aggregates.totalCount ?? 0
  const columns = useMemo(() => columnsIn(zone), [zone])
  const filter = (next: string, how: 'typing' | 'applied'): void =>
    void navigate({ search: next === '' ? {} : { q: next }, replace: how === 'typing' })
  const open = (index: number): void => {
    const uuid = rows[index]?.uuid
    if (uuid !== undefined) void navigate({ to: '/aggregates/$uuid', params: { uuid } })
  }
  useTableKeys({ count: rows.length, active, onActive: setActive, onOpen: open })
  useShortcuts([{ keys: 'c', label: 'Create an aggregate', run: creating.open }])
  const onRange = useCallback(
    (_first: number, last: number) => {
      if (last >= rows.length - 10 && hasNextPage && !isFetchingNextPage) void fetchNextPage()
    },
    [rows.length, hasNextPage, isFetchingNextPage, fetchNextPage],
  )

  return (
    <Page
      title="Aggregates"
      aside={
        <Button size="compact-sm" onClick={creating.open}>
          Create
        </Button>
      }
    >
      <Stack gap="xs">
        <FilterBar label="Filter aggregates" fields={aggregateFields} value={q} onChange={filter} />
        {error === null ? null : <Problem error={error} onRetry={() => void refetch()} />}
        {isLoading ? (
          <Skeleton height={200} role="status" aria-label="Aggregates are being loaded" />
        ) : error === null && rows.length === 0 ? (
          <NoAggregate q={q} onClear={() => filter('', 'applied')} onCreate={creating.open} />
        ) : rows.length === 0 ? null : (
          <div className={isPlaceholderData ? 'stale' : undefined}>
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
        <Button size="compact-sm" onClick={onCreate}>
          Create the first
        </Button>
        <Code>{command}</Code>
        <CopyButton text={command}>Copy</CopyButton>
      </Group>
    </Empty>
  )
}
