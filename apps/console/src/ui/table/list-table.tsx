import { useCallback, useMemo, useState } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { neighbourKeys } from '../../lib/browser/present-list.ts'
import { type Choice, indexOf, type Key } from '../filter/use-choice.ts'
import { setWidth, shownColumns, useColumnLayout } from './columns.ts'
import { Table, type TableProps } from './table.tsx'

/** The properties that the table computes itself. */
type Own = 'active' | 'onActive' | 'rowKey' | 'isChosen' | 'onChoose' | 'onResize' | 'isMain' | 'onBeside'

interface PanelRows {
  readonly isShown: ((index: number) => boolean) | undefined
  onToggle(index: number): void
  onFollow(index: number): void
}

export interface ListTableProps<Row> extends Omit<TableProps<Row>, Own> {
  /** The name of the list for its stored layout. */
  readonly list: string
  /** The identity of a row, which does not change when the row moves. The function must be the same while the rows are the same. */
  keyOf(index: number): Key
  /** The key of the row on which the cursor is at first. */
  readonly first?: Key | undefined
  /** The key of the row with the cursor, and a function that moves the cursor. Only set if the page controls the cursor. */
  readonly cursor?: readonly [now: Key | undefined, change: (key: Key | undefined) => void] | undefined
  /** The side panel of the list: the shown row (undefined if none is shown), and functions to show another row. */
  readonly sidePanel?: PanelRows | undefined
  /** The selection of rows by `x`, Shift-x and checkboxes. Absent if rows cannot be selected. */
  readonly choice?: Pick<Choice<unknown>, 'isChosen' | 'toggle'> | undefined
}

/**
 * The main list of a page. When changes move a row, the cursor stays on this row. The columns are those of the layout. The keys of the list
 * work wherever the focus is, except in inputs.
 */
export function ListTable<Row>({ list, keyOf, first, cursor: given, sidePanel, choice, columns, ...table }: ListTableProps<Row>) {
  const { count } = table
  const own = useState(first)
  const [cursor, setCursor] = given ?? own
  const active = useMemo(() => (cursor === undefined ? -1 : indexOf(cursor, count, keyOf)), [cursor, count, keyOf])
  const onFollow = sidePanel?.onFollow
  const setActive = useCallback(
    (index: number) => {
      setCursor(keyOf(index))
      onFollow?.(index)
    },
    [keyOf, setCursor, onFollow],
  )
  const layout = useColumnLayout(list)
  const shown = useMemo(() => shownColumns(columns, layout), [columns, layout])
  const resize = useCallback((key: string, width: number | undefined) => setWidth(list, key, width), [list])

  const choose = (isRange: boolean) => (): void => {
    if (cursor !== undefined) choice?.toggle(cursor, isRange)
  }
  useShortcuts(
    sidePanel?.isShown === undefined
      ? []
      : neighbourKeys('row', (step) => {
          // a page that was opened with a row in the side panel has no cursor yet
          const from = active >= 0 ? active : shownIndexOf(sidePanel.isShown, count)
          if (from >= 0 && from + step >= 0 && from + step < count) setActive(from + step)
        }),
  )
  useShortcuts(
    choice === undefined
      ? []
      : [
          { keys: 'x', label: 'Select or deselect the row', run: choose(false) },
          { keys: 'X', label: 'Select all rows from the last selected one to this one', run: choose(true) },
        ],
  )
  return (
    <Table
      {...table}
      columns={shown}
      rowKey={(index) => String(keyOf(index))}
      active={active}
      onActive={setActive}
      onResize={resize}
      isMain
      onTogglePanel={sidePanel?.onToggle}
      {...(choice === undefined
        ? {}
        : { isChosen: choice.isChosen, onChoose: (index: number, isRange: boolean) => choice.toggle(keyOf(index), isRange) })}
    />
  )
}

function shownIndexOf(isShown: PanelRows['isShown'], count: number): number {
  for (let i = 0; i < count; i++) if (isShown?.(i)) return i
  return -1
}
