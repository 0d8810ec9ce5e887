import { parseSort, printSort, type QueryField, type Sort } from '@gantt/scheduler-core/query'
import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { type HTMLAttributes, type ReactNode, useCallback, useMemo } from 'react'
import { formatCount } from '../lib/format.ts'
import { useListGo, useListSearch } from '../lib/list-search.ts'
import { rememberList } from '../lib/present-list.ts'
import type { Pages } from '../lib/use-pages.ts'
import { ColumnChooser } from './column-chooser.tsx'
import { FilterBar } from './filter-bar.tsx'
import { FilterChips } from './filter-chips.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { NoMatch } from './no-match.tsx'
import { Problem } from './problem.tsx'
import { SidePanel } from './side-panel.tsx'
import { type FreshProps, Stale } from './stale.tsx'
import { TABLE_HEIGHT, type TableColumn } from './table.tsx'
import { useAnchor } from './use-anchor.ts'
import type { Choice, Key } from './use-choice.ts'
import { useSidePanel, useSidePanelKeys } from './use-side-panel.ts'
import { ViewsButton } from './views-button.tsx'

interface PagedListProps<Row> {
  /** Names the list where its layout is kept. */
  readonly list: string
  /** What is listed: "Claims"; then one and many of it. */
  readonly label: string
  /** What the filter is called, where that is not "Filter claims". */
  readonly filterLabel?: string
  readonly nouns: readonly [one: string, many: string]
  readonly fields: readonly QueryField[]
  /** As the filter bar's. */
  readonly readPaste?: ((text: string) => string | undefined) | undefined
  readonly pages: Pages<Row>
  /** The stream that brings what is new, and whether it is followed. */
  readonly live?: FreshProps['live']
  readonly isFollowed?: FreshProps['isFollowed']
  readonly columns: readonly TableColumn<Row>[]
  keyOf(row: Row): Key
  onOpen(row: Row): void
  readonly choice?: Choice<Row> | undefined
  /** The usual order of a list that has several, one column at a time: `name`, `-age`. The one that is chosen stands in the address. */
  readonly usualSort?: string
  /** What can be done with those that were chosen. */
  readonly chosen?: ReactNode
  /** Said where there is none at all. */
  readonly none: ReactNode
  /** Said next to a filter that finds none. */
  readonly noMatch?: ReactNode
  /** Of a list that somebody else counts: how many there are, and whether there are more than that. */
  readonly counted?: { readonly total: number; readonly isMore: boolean }
  /** Next to the filter. */
  readonly aside?: ReactNode
  /** Below the filter, whatever it finds. */
  readonly above?: ReactNode
  /** In the place of the list. */
  readonly instead?: ReactNode
  /** Between the count and the rows. */
  readonly children?: ReactNode
  /** What is shown a row in the side panel, by its key. */
  readonly sidePanel?: (id: string) => ReactNode
  /** What its page knows of the table. */
  readonly table?: Partial<Pick<ListTableProps<Row>, 'cursor' | 'listKey' | 'height'>>
  /** Hears of hands on the rows. */
  readonly handlers?: Pick<HTMLAttributes<HTMLDivElement>, 'onPointerEnter' | 'onPointerLeave' | 'onScrollCapture'>
}

/** A list of the service, which is loaded as one scrolls: the filter, how many it finds, and the rows; all of it in the address. */
export function PagedList<Row>(props: PagedListProps<Row>) {
  const { list, label, filterLabel = `Filter ${label.toLowerCase()}`, fields, readPaste, aside, above, instead } = props
  const { q = '' } = useListSearch()
  const go = useListGo()
  // rows come in far more often than what is above them changes
  const bar = useMemo(
    () => (
      <>
        <FilterBar
          label={filterLabel}
          fields={fields}
          value={q}
          onChange={(next, how) => go({ q: next }, how)}
          readPaste={readPaste}
          Chips={FilterChips}
        />
        <ViewsButton list={list} />
      </>
    ),
    [filterLabel, fields, readPaste, q, go, list],
  )
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start">
        {bar}
        {aside}
      </Group>
      {above}
      {instead ?? <Found {...props} />}
    </Stack>
  )
}

/** What the filter finds, or that it finds none, or why that is not known. */
function Found<Row>(props: PagedListProps<Row>) {
  const { label, nouns, pages, none, noMatch, live, isFollowed, counted = { total: pages.total, isMore: false } } = props
  const { rows, error, isLoading, isOld, readAtMs, everyMs, refresh } = pages
  const { q = '' } = useListSearch()
  const go = useListGo()
  // of a page that cannot be read there are no rows, and others may follow it
  const isAny = rows.length > 0 || counted.total > 0
  return (
    <>
      {error === null ? null : <Problem error={error} onRetry={refresh} />}
      {isLoading ? <Skeleton height={280} role="status" aria-label={`${label} are being loaded`} /> : null}
      <Stale error={error} atMs={readAtMs} everyMs={everyMs} live={live} isFollowed={isFollowed} isOther={isOld}>
        {isAny && !isLoading ? <Rows {...props} counted={counted} /> : null}
        {isLoading || error !== null || isAny ? null : q === '' ? (
          none
        ) : (
          <NoMatch one={nouns[0]} filter={q} onClear={() => go({ q: '' })}>
            {noMatch}
          </NoMatch>
        )}
      </Stale>
    </>
  )
}

/** How many there are, and the rows. */
function Rows<Row>(props: PagedListProps<Row> & Required<Pick<PagedListProps<Row>, 'counted'>>) {
  const { list, label, nouns, pages, columns, keyOf, onOpen, choice, usualSort, chosen, children, counted, sidePanel, table, handlers } =
    props
  const shown = useSidePanel()
  const { rows, onRange } = pages
  const { total, isMore } = counted
  const { q = '', sort = usualSort } = useListSearch()
  const go = useListGo()
  const keyAt = useCallback(
    (index: number): Key => {
      const row = rows[index]
      return row === undefined ? index : keyOf(row)
    },
    [rows, keyOf],
  )
  const listKey = sort === undefined ? q : `${sort} ${q}`
  const onDrawn = useAnchor({ count: rows.length, keyOf: keyAt, listKey: table?.listKey ?? listKey })
  const idAt = useCallback((index: number) => String(keyAt(index)), [keyAt])
  const chooser = useMemo(() => <ColumnChooser list={list} columns={columns} />, [list, columns])
  const panelKeys = useSidePanelKeys(shown, sidePanel === undefined ? undefined : idAt)
  return (
    <>
      <Group gap="xs" mb={4} mih={26}>
        <Text size="sm" fw={600} role="status" data-count={total}>
          {isMore ? 'more than ' : ''}
          {formatCount(total)} {nouns[total === 1 ? 0 : 1]}
        </Text>
        {chosen}
        <div style={{ marginInlineStart: 'auto' }}>{chooser}</div>
      </Group>
      {children}
      <SidePanel state={shown} panel={sidePanel ?? noPanel} height={table?.height ?? TABLE_HEIGHT}>
        <div {...handlers}>
          <ListTable
            list={list}
            label={label}
            columns={columns}
            count={rows.length}
            row={(index) => rows[index]}
            keyOf={keyAt}
            onOpen={(index) => {
              const row = rows[index]
              if (row === undefined) return
              rememberList(list, rows.length, idAt)
              onOpen(row)
            }}
            sidePanel={panelKeys}
            choice={choice}
            onRange={onRange}
            listKey={listKey}
            onDrawn={onDrawn}
            {...(sort === undefined
              ? {}
              : {
                  sort: parseSort(sort),
                  onSort: (press: (now: readonly Sort[]) => readonly Sort[]) =>
                    go((now) => {
                      const text = printSort(press(parseSort(now.sort ?? usualSort ?? '')).slice(-1))
                      return { sort: text === usualSort ? undefined : text }
                    }),
                })}
            {...table}
          />
        </div>
      </SidePanel>
    </>
  )
}

const noPanel = (): ReactNode => null
