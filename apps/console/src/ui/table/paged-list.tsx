import { parseSort, printSort, type QueryField, type Sort } from '@gantt/scheduler-core/query'
import { Group, Skeleton, Stack, Text } from '@mantine/core'
import { type HTMLAttributes, type ReactNode, useCallback, useMemo } from 'react'
import { useListGo, useListSearch } from '../../lib/browser/list-search.ts'
import { rememberList } from '../../lib/browser/present-list.ts'
import { formatCount } from '../../lib/format.ts'
import type { Pages } from '../../lib/service/use-pages.ts'
import { SidePanel } from '../dialog/side-panel.tsx'
import { useSidePanel, useSidePanelKeys } from '../dialog/use-side-panel.ts'
import { FilterAside } from '../filter/filter-aside.tsx'
import { FilterBar } from '../filter/filter-bar.tsx'
import { NoMatch } from '../filter/no-match.tsx'
import type { Choice, Key } from '../filter/use-choice.ts'
import { ViewsButton } from '../filter/views-button.tsx'
import { Problem } from '../problem.tsx'
import { type FreshProps, Stale } from '../stale.tsx'
import { useAnchor } from '../use-anchor.ts'
import { ColumnChooser } from './column-chooser.tsx'
import { ListHead } from './list-head.tsx'
import { ListTable, type ListTableProps } from './list-table.tsx'
import { TABLE_HEIGHT, type TableColumn } from './table.tsx'

interface PagedListProps<Row> {
  /** The name of the list for its stored layout. */
  readonly list: string
  /** The title of the list, such as "Claims". `nouns` are the singular and the plural. */
  readonly label: string
  /** The label of the filter. The default is "Filter" and the label of the list. */
  readonly filterLabel?: string
  readonly nouns: readonly [one: string, many: string]
  readonly fields: readonly QueryField[]
  /** Converts pasted text to a filter, as in FilterBar. */
  readonly readPaste?: ((text: string) => string | undefined) | undefined
  readonly pages: Pages<Row>
  /** The stream of new rows, and whether it is followed. */
  readonly live?: FreshProps['live']
  readonly isFollowed?: FreshProps['isFollowed']
  readonly columns: readonly TableColumn<Row>[]
  keyOf(row: Row): Key
  onOpen(row: Row): void
  readonly choice?: Choice<Row> | undefined
  /** The default order if the list can be sorted by several columns, such as `name` or `-age`. The selected order is in the URL. */
  readonly usualSort?: string
  /** The actions on the selected rows. */
  readonly chosen?: ReactNode
  /** Shown if the list is empty. */
  readonly none: ReactNode
  /** Shown next to the filter if no row matches. */
  readonly noMatch?: ReactNode
  /** The count of rows, and whether the list has more rows than counted. Only set if the page counts the rows itself. */
  readonly counted?: { readonly total: number; readonly isMore: boolean }
  /** Elements next to the filter field. */
  readonly aside?: ReactNode
  /** Elements below the filter field. They are shown whether or not rows match. */
  readonly above?: ReactNode
  /** Shown instead of the list. */
  readonly instead?: ReactNode
  /** Elements between the count and the rows. */
  readonly children?: ReactNode
  /** Renders the side panel for the row with this key. */
  readonly sidePanel?: (id: string) => ReactNode
  /** Properties that the page passes to the table. */
  readonly table?: Partial<Pick<ListTableProps<Row>, 'cursor' | 'listKey' | 'height'>>
  /** Called when the pointer enters or leaves the rows, and when the rows are scrolled. */
  readonly handlers?: Pick<HTMLAttributes<HTMLDivElement>, 'onPointerEnter' | 'onPointerLeave' | 'onScrollCapture'>
}

/**
 * A list that is loaded from the service while scrolling, with its filter, the count of matches, and the rows. The URL stores the filter
 * and order.
 */
export function PagedList<Row>(props: PagedListProps<Row>) {
  const { list, label, filterLabel = `Filter ${label.toLowerCase()}`, fields, readPaste, aside, above, instead } = props
  const { q = '' } = useListSearch()
  const go = useListGo()
  // Rows arrive far more often than the elements above them change, so these elements are not rendered again with each row.
  const bar = useMemo(
    () => <FilterBar label={filterLabel} fields={fields} value={q} onChange={(next, how) => go({ q: next }, how)} readPaste={readPaste} />,
    [filterLabel, fields, readPaste, q, go],
  )
  const views = useMemo(() => <ViewsButton list={list} />, [list])
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-start">
        {bar}
        <FilterAside>
          {views}
          {aside}
        </FilterAside>
      </Group>
      {above}
      {instead ?? <Found {...props} />}
    </Stack>
  )
}

/** The rows and their count or, if no rows can be shown, the reason. */
function Found<Row>(props: PagedListProps<Row>) {
  const { label, nouns, pages, none, noMatch, live, isFollowed, counted = { total: pages.total, isMore: false } } = props
  const { rows, error, isLoading, isOld, readAtMs, everyMs, refresh } = pages
  const { q = '' } = useListSearch()
  const go = useListGo()
  // The list can have rows although none is loaded, for example if its first page could not be read.
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

/** The count of the rows, and the rows. */
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
      <ListHead chooser={chooser}>
        <Text size="sm" fw={600} role="status" data-count={total}>
          {isMore ? 'more than ' : ''}
          {formatCount(total)} {nouns[total === 1 ? 0 : 1]}
        </Text>
        {chosen}
      </ListHead>
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
