import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { type Choice, usePreference } from '../../lib/browser/preferences.ts'
import { useLatest } from '../../lib/service/use-latest.ts'
import { ChoiceHead, HeadCell } from './table-head.tsx'
import { useTableKeys } from './table-keys.ts'
import type { TableColumn, TableProps } from './table-props.ts'
import './table.css'

export type { TableColumn, TableProps } from './table-props.ts'

/** The height of a list that fills the page. */
export const TABLE_HEIGHT = 'calc(100vh - 220px - var(--g-chips, 0px))'

/** The height of a row in pixels. */
const ROW_HEIGHTS: Readonly<Record<Choice<'density'>, number>> = { compact: 28, cosy: 36 }
/** The height of the heading row in pixels, if names have two lines. */
const HEAD_HEIGHT = 34

/**
 * A table of any length. Only the visible rows are rendered. The arrow keys, Home, End, PageUp and PageDown move the cursor, and Enter
 * opens a row.
 */
export function Table<Row>(props: TableProps<Row>) {
  const {
    label,
    columns,
    count,
    row,
    rowKey,
    sort,
    onSort,
    onResize,
    active,
    onActive,
    onOpen,
    isChosen,
    onChoose,
    onRange,
    listKey,
    onDrawn,
    isMain = false,
    onTogglePanel,
    height = TABLE_HEIGHT,
  } = props
  const id = useId()
  const rowHeight = ROW_HEIGHTS[usePreference('density')]
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // the head of the table covers this height
    scrollPaddingEnd: HEAD_HEIGHT,
  })
  const rows = virtualizer.getVirtualItems()
  const first = rows[0]?.index ?? 0
  const last = rows.at(-1)?.index ?? 0
  const template = [...(onChoose === undefined ? [] : ['26px']), ...columns.map(({ width }) => width)].join(' ')

  useEffect(() => {
    onRange?.(first, last)
  }, [onRange, first, last])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another height requires a new measurement
  useEffect(() => virtualizer.measure(), [rowHeight])
  const activeKey = active >= 0 && active < count ? rowKey(active) : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when the cursor moves to another row, but not when a live change moves its row
  useEffect(() => {
    if (activeKey !== undefined) virtualizer.scrollToIndex(active)
  }, [activeKey])

  useLayoutEffect(() => {
    if (scroller.current !== null) onDrawn?.(scroller.current, virtualizer.scrollOffset ?? 0, rowHeight)
  })

  const latest = useLatest(props)
  // the same object at each rendering, so that a row is rendered again only if the row itself has changed
  const hands = useMemo<Hands>(
    () => ({
      onActive: (index) => latest.current.onActive(index),
      onOpen: (index) => latest.current.onOpen(index),
      onChoose: (index, isRange) => latest.current.onChoose?.(index, isRange),
    }),
    [latest],
  )

  const onFocus = (): void => scroller.current?.focus({ preventScroll: true })
  useTableKeys(isMain ? { count, active, onActive, onOpen, onFocus, onTogglePanel: onTogglePanel } : undefined)

  const shownList = useRef(listKey)
  useEffect(() => {
    if (shownList.current !== listKey) scroller.current?.scrollTo({ top: 0 })
    shownList.current = listKey
  }, [listKey])

  const move = (event: KeyboardEvent): void => {
    // a button in the head or a link in a row handles its own keys
    if (isOwn(event.target) || event.ctrlKey || event.metaKey || event.altKey || count === 0) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1)
    const target = targetOf(event.key, active, count, page)
    if (target !== undefined) onActive(target)
    else if (event.key === 'Enter' && activeKey !== undefined) onOpen(active)
    else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
      scroller.current?.scrollBy({ left: event.key === 'ArrowLeft' ? -80 : 80 })
    else return
    event.preventDefault()
  }

  return (
    // biome-ignore lint/a11y/useSemanticElements: invisible rows are not rendered, which a table element cannot express
    <div
      ref={scroller}
      className="g-table"
      role="grid"
      aria-label={label}
      aria-rowcount={count + 1}
      aria-colcount={columns.length + (onChoose === undefined ? 0 : 1)}
      aria-activedescendant={rows.some(({ index }) => index === active) ? `${id}-${active}` : undefined}
      tabIndex={0}
      onKeyDown={move}
      style={{ maxHeight: `max(160px, ${height})`, '--g-columns': template, '--g-row': `${rowHeight}px` } as CSSProperties}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: invisible rows are not rendered, which a table element cannot express */}
      <div className="g-table-head" role="row" aria-rowindex={1} tabIndex={-1}>
        {onChoose === undefined ? null : <ChoiceHead />}
        {columns.map((column) => (
          <HeadCell key={column.key} column={column} sort={sort} onSort={onSort} onResize={onResize} />
        ))}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: invisible rows are not rendered, which a table element cannot express */}
      <div role="rowgroup" style={{ height: virtualizer.getTotalSize(), position: 'relative' }}>
        {rows.map(({ index, start }) => (
          <TableRow
            key={rowKey(index)}
            id={`${id}-${index}`}
            index={index}
            start={start}
            row={row(index)}
            columns={columns}
            isActive={index === active}
            isChosen={isChosen?.(index)}
            canChoose={onChoose !== undefined}
            hands={hands}
          />
        ))}
      </div>
    </div>
  )
}

/** The row to which a key moves the cursor. Undefined for other keys. */
function targetOf(key: string, active: number, count: number, page: number): number | undefined {
  const to = (index: number): number => Math.max(0, Math.min(count - 1, index))
  switch (key) {
    case 'ArrowDown':
      return to(active + 1)
    case 'ArrowUp':
      return to(active - 1)
    case 'PageDown':
      return to(active + page)
    case 'PageUp':
      return to(active - page)
    case 'Home':
      return to(0)
    case 'End':
      return to(count - 1)
    default:
      return undefined
  }
}

interface TableRowProps<Row> {
  readonly id: string
  readonly index: number
  readonly start: number
  readonly row: Row | undefined
  readonly columns: readonly TableColumn<Row>[]
  readonly isActive: boolean
  readonly isChosen: boolean | undefined
  readonly canChoose: boolean
  readonly hands: Hands
}

/** The handlers of clicks on a row. */
type Hands = Required<Pick<TableProps<unknown>, 'onActive' | 'onOpen' | 'onChoose'>>

function PlainTableRow<Row>(props: TableRowProps<Row>) {
  const { id, index, start, row, columns, isActive, isChosen, canChoose, hands } = props

  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of a virtual grid; keys are handled by the grid
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys
    <div
      id={id}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isActive}
      tabIndex={-1}
      className="g-table-row"
      style={{ transform: `translateY(${start}px)` }}
      data-chosen={isChosen || undefined}
      onClick={({ target, ctrlKey, metaKey, shiftKey }) => {
        hands.onActive(index)
        // a link in the row keeps its own behaviour, including new tabs
        if (isOwn(target)) return
        if (canChoose && (ctrlKey || metaKey || shiftKey)) hands.onChoose(index, shiftKey)
        else hands.onOpen(index)
      }}
    >
      {canChoose ? <ChoiceCell index={index} isChosen={isChosen} onChoose={hands.onChoose} /> : null}
      {columns.map((column) => (
        // biome-ignore lint/a11y/useSemanticElements: a cell of a virtual grid
        <div key={column.key} role="gridcell" tabIndex={-1} className={column.align === 'right' ? 'number' : undefined}>
          {row === undefined ? '…' : (column.cell?.(row) ?? column.value(row))}
        </div>
      ))}
    </div>
  )
}

interface ChoiceCellProps {
  readonly index: number
  /** True if the row is selected. Undefined if it cannot be selected. */
  readonly isChosen: boolean | undefined
  onChoose(index: number, isRange: boolean): void
}

/** The checkbox of a row. It is not a tab stop, because the key `x` selects rows. */
function ChoiceCell({ index, isChosen, onChoose }: ChoiceCellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a cell of a virtual grid
    <div role="gridcell" tabIndex={-1} className="g-table-choice">
      {isChosen === undefined ? null : (
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Choose row ${index + 1}`}
          checked={isChosen}
          onClick={({ shiftKey }) => onChoose(index, shiftKey)}
          // the click handler selects the row, because only a click shows whether Shift was held
          onChange={() => undefined}
        />
      )}
    </div>
  )
}

/** True if an element in the table handles clicks and keys itself: a link, a button or an input. */
const isOwn = (target: EventTarget): boolean => target instanceof Element && target.closest('a, button, input') !== null

const TableRow = memo(PlainTableRow) as typeof PlainTableRow
