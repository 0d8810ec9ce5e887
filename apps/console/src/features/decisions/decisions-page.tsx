import { decisionFields } from '@gantt/scheduler-core/query'
import { Alert, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { formatCount, useTimeZone } from '../../lib/format.ts'
import { toGraphiql } from '../../lib/graphiql.ts'
import { useShortcuts } from '../../lib/keys.ts'
import { usePreference } from '../../lib/preferences.ts'
import { quoteForShell } from '../../lib/shell.ts'
import { CopyAs } from '../../ui/copy-as.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { LiveBadge, Page } from '../../ui/page.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Table } from '../../ui/table.tsx'
import { useTableKeys } from '../../ui/table-keys.ts'
import { decisionColumns } from './decision-columns.tsx'
import { Feed, useTail } from './decision-tail.tsx'
import { LIST } from './documents.ts'
import { useList } from './use-list.ts'
import './decisions.css'

const route = getRouteApi('/decisions')

/** What was asked for and what came of it, newest first, as it happens. */
export function DecisionsPage() {
  const { q = '', live } = route.useSearch()
  const navigate = route.useNavigate()
  const zone = useTimeZone()
  const usual = usePreference('live')
  const isLive = (live ?? usual) === 'on'
  const list = useList(q)
  const { rows, unreadable, error, isLoading, isOld } = list
  const [active, setActive] = useState(-1)
  const [isScrolled, setScrolled] = useState(false)
  const [isPointed, setPointed] = useState(false)
  const isReading = active >= 0 || isScrolled || isPointed
  const { state, waiting, suppressed, hasGap, onState, onEvent, takeIn } = useTail(q, isReading, list.readNewest)
  // how often the operator went back to the newest: each time the list begins at its first row
  const [rounds, setRounds] = useState(0)
  const columns = useMemo(() => decisionColumns(zone), [zone])

  const go = (next: { q?: string; live?: 'on' | 'off' | undefined }, how: 'typing' | 'applied' = 'applied'): void =>
    void navigate({
      search: (before) =>
        Object.fromEntries(Object.entries({ ...before, ...next }).filter(([, value]) => value !== undefined && value !== '')),
      replace: how === 'typing',
    })
  const open = (index: number): void => {
    const id = rows[index]?.id
    if (id !== undefined) void navigate({ to: '/decisions/$id', params: { id } })
  }
  const toggleLive = (): void => {
    const next = isLive ? 'off' : 'on'
    go({ live: next === usual ? undefined : next })
  }
  useTableKeys({ count: rows.length, active, onActive: setActive, onOpen: open })
  const showNew = (): void => {
    setActive(-1)
    setRounds(rounds + 1)
    takeIn()
  }
  useShortcuts([
    { keys: 'f', label: isLive ? 'Freeze: nothing comes in by itself' : 'Follow new decisions', run: toggleLive },
    { keys: 'n', label: 'Show the newest decisions', run: showNew },
  ])
  const loadMore = list.loadMore
  const onRange = useCallback((_first: number, last: number) => last >= rows.length - 10 && loadMore(), [rows.length, loadMore])

  return (
    <Page
      title="Decisions"
      aside={
        <>
          {/* in a line that is there anyway: nothing moves under the pointer when it comes */}
          {waiting > 0 ? (
            <Button size="compact-sm" onClick={showNew} title="n">
              {formatCount(waiting)} new
            </Button>
          ) : null}
          <LiveBadge state={state} />
          <Button size="compact-sm" variant="subtle" onClick={toggleLive}>
            {isLive ? 'Freeze' : 'Follow'}
          </Button>
        </>
      }
    >
      <Feed key={q} q={q} enabled={isLive} onState={onState} onEvent={onEvent} />
      <Stack gap="xs">
        <Group gap="xs" align="flex-start">
          <FilterBar label="Filter decisions" fields={decisionFields} value={q} onChange={(next, how) => go({ q: next }, how)} />
          <CopyAs
            items={[
              ['Link', () => location.href],
              ['Command line', () => `gantt decisions${q === '' ? '' : ` --query ${quoteForShell(q)}`}`],
            ]}
            graphiql={toGraphiql(LIST, { q })}
          />
        </Group>
        {state === 'lost' ? (
          <Alert color="yellow" role="status" title="The feed is interrupted">
            New decisions are not shown until the service answers again; it is tried every few seconds.
          </Alert>
        ) : null}
        {unreadable.length === 0 ? null : (
          <Alert color="yellow" role="status" title={`${formatCount(unreadable.length)} of these cannot be read, and are left out`}>
            {unreadable.slice(0, 3).map(({ id, message }) => (
              <div key={id}>
                <Code>{id}</Code> {message}
              </div>
            ))}
          </Alert>
        )}
        {error === null ? null : <Problem error={error} onRetry={list.refresh} />}
        {isLoading ? (
          <Skeleton height={280} role="status" aria-label="Decisions are being loaded" />
        ) : error === null && rows.length === 0 && unreadable.length === 0 ? (
          <NoDecision q={q} onClear={() => go({ q: '' })} />
        ) : rows.length === 0 ? null : (
          <div
            className={isOld ? 'stale' : undefined}
            onPointerEnter={({ pointerType }) => setPointed(pointerType !== 'touch')}
            onPointerLeave={() => setPointed(false)}
            onScrollCapture={({ target }) => setScrolled(target instanceof Element && target.scrollTop > 0)}
          >
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
              listKey={`${rounds} ${q}`}
            />
          </div>
        )}
        {hasGap ? (
          <Text size="xs" c="dimmed" role="status">
            The feed was interrupted; the list was read again.
          </Text>
        ) : null}
        {suppressed > 0 ? (
          <Text size="xs" c="dimmed" role="status">
            {formatCount(suppressed)} decisions came faster than the feed tells them one by one; the list has them all.
          </Text>
        ) : null}
      </Stack>
    </Page>
  )
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
