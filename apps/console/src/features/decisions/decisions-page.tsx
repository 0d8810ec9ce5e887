import { decisionFields } from '@gantt/scheduler-core/query'
import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, useState } from 'react'
import { operationKey, request } from '../../lib/api.ts'
import { formatCount, useTimeZone } from '../../lib/format.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { useLive } from '../../lib/live.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { LiveBadge, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { decisionColumns } from './decision-columns.tsx'
import { LIST, TAIL } from './documents.ts'
import './decisions.css'

const route = getRouteApi('/decisions')

/** How long new decisions gather before the list is read again, milliseconds. */
const GATHER_MS = 500

/** What was asked for and what came of it, newest first, as it happens. */
export function DecisionsPage() {
  const { q = '', live } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const isLive = live !== 'off'
  const list = useList(q)
  const { rows, error, isLoading, isOld } = list
  const [active, setActive] = useState(-1)
  const tail = useTail({ q, enabled: isLive, isReading: active > 0, refresh: list.refresh })
  const columns = useMemo(() => decisionColumns(zone), [zone])

  const go = (next: { q?: string; live?: 'off' | undefined }, how: 'typing' | 'applied' = 'applied'): void =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined && value !== '')),
      replace: how === 'typing',
    })
  const open = (index: number): void => {
    const id = rows[index]?.id
    if (id !== undefined) void navigate({ to: '/decisions/$id', params: { id } })
  }
  const toggleLive = (): void => go({ live: isLive ? 'off' : undefined })
  useTableKeys({ count: rows.length, active, onActive: setActive, onOpen: open })
  useShortcuts([{ keys: 'f', label: isLive ? 'Freeze: nothing comes in by itself' : 'Follow new decisions', run: toggleLive }])
  const loadMore = list.loadMore
  const onRange = useCallback((_first: number, last: number) => last >= rows.length - 10 && loadMore(), [rows.length, loadMore])

  return (
    <Page
      title="Decisions"
      aside={
        <>
          <LiveBadge state={tail.state} />
          <Button size="compact-sm" variant="subtle" onClick={toggleLive}>
            {isLive ? 'Freeze' : 'Follow'}
          </Button>
        </>
      }
    >
      <Stack gap="xs">
        <Group gap="xs" align="flex-start">
          <FilterBar label="Filter decisions" fields={decisionFields} value={q} onChange={(next, how) => go({ q: next }, how)} />
          <CopyButton text={`gantt decisions${q === '' ? '' : ` --query '${q.replaceAll("'", `'\\''`)}'`}`} mt={4}>
            Copy as command
          </CopyButton>
        </Group>
        {tail.state === 'lost' ? (
          <Alert color="yellow" role="status" title="The feed is interrupted">
            New decisions are not shown until the service answers again; it is tried every few seconds.
          </Alert>
        ) : null}
        {error === null ? null : <Problem error={error} onRetry={list.refresh} />}
        {tail.waiting > 0 ? (
          <Group justify="center">
            <Button
              size="compact-sm"
              onClick={() => {
                setActive(-1)
                tail.takeIn()
              }}
            >
              {formatCount(tail.waiting)} new
            </Button>
          </Group>
        ) : null}
        {isLoading ? (
          <Skeleton height={280} role="status" aria-label="Decisions are being loaded" />
        ) : error === null && rows.length === 0 ? (
          <NoDecision q={q} onClear={() => go({ q: '' })} />
        ) : rows.length === 0 ? null : (
          <div className={isOld ? 'stale' : undefined}>
            <Table
              label="Decisions"
              columns={columns}
              count={rows.length}
              row={(index) => rows[index]}
              rowKey={(index) => rows[index]?.id ?? String(index)}
              active={active}
              onActive={setActive}
              onOpen={open}
              onRange={onRange}
            />
          </div>
        )}
        {tail.suppressed > 0 ? (
          <Text size="xs" c="dimmed" role="status">
            {formatCount(tail.suppressed)} decisions came faster than the feed tells them one by one; the list has them all.
          </Text>
        ) : null}
      </Stack>
    </Page>
  )
}

/** The pages that were read so far, one after another. */
function useList(q: string) {
  const client = useQueryClient()
  const key = operationKey(LIST, { q, after: null })
  const { data, error, isLoading, isPlaceholderData, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => request(LIST, { q, after: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ decisions: { pageInfo } }) => (pageInfo.hasNextPage ? pageInfo.endCursor : undefined),
    placeholderData: (previous) => previous,
  })
  const rows = useMemo(() => data?.pages.flatMap(({ decisions }) => decisions.nodes) ?? [], [data])
  const refresh = useCallback(() => void client.invalidateQueries({ queryKey: [key[0]] }), [client, key[0]])
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  return { rows, error, isLoading, isOld: isPlaceholderData, refresh, loadMore }
}

interface TailOptions {
  readonly q: string
  readonly enabled: boolean
  /** Rows must not move: new ones wait. */
  readonly isReading: boolean
  refresh(): void
}

/** New decisions: taken in by themselves, or counted while somebody reads. */
function useTail({ q, enabled, isReading, refresh }: TailOptions) {
  const [waiting, setWaiting] = useState(0)
  const [suppressed, setSuppressed] = useState(0)
  const seen = useRef<string | null>(null)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const takeIn = useCallback(() => {
    setWaiting(0)
    refresh()
  }, [refresh])
  const state = useLive(TAIL, {
    enabled,
    variables: () => ({ q, after: seen.current }),
    onEvent({ decisions: { revision, suppressed: missed, gap, decision } }) {
      seen.current = revision
      setSuppressed((before) => before + missed)
      if (decision === null && gap === null) return
      if (isReading) {
        setWaiting((before) => before + missed + 1)
        return
      }
      clearTimeout(timer.current)
      timer.current = setTimeout(takeIn, GATHER_MS)
    },
  })
  return { state, waiting, suppressed, takeIn }
}

function NoDecision({ q, onClear }: { readonly q: string; onClear(): void }) {
  if (q !== '')
    return (
      <Empty title="No decision matches">
        None is like <Code>{q}</Code>.
        <Group justify="center" mt="sm">
          <Button size="compact-sm" variant="outline" onClick={onClear}>
            Clear the filter
          </Button>
        </Group>
      </Empty>
    )
  const command = 'gantt select --vcpus 2 --memory-mb 4096'
  return (
    <Empty title="No decision yet">
      A decision is what a service gets when it asks where an instance goes. Ask by yourself:
      <Group justify="center" mt="sm" gap="xs">
        <Code>{command}</Code>
        <CopyButton text={command}>Copy</CopyButton>
      </Group>
    </Empty>
  )
}
