import { useCallback, useMemo, useState } from 'react'
import { useShortcuts } from '../lib/keys.ts'
import { neighbourKeys } from '../lib/present-list.ts'
import { setWidth, shownColumns, useColumnLayout } from './columns.ts'
import { Table, type TableProps } from './table.tsx'
import { type Choice, indexOf, type Key } from './use-choice.ts'

/** What the table works out by itself. */
type Own = 'active' | 'onActive' | 'rowKey' | 'isChosen' | 'onChoose' | 'onResize' | 'isMain' | 'onBeside'

interface PanelRows {
  readonly isShown: ((index: number) => boolean) | undefined
  onToggle(index: number): void
  onFollow(index: number): void
}

export interface ListTableProps<Row> extends Omit<TableProps<Row>, Own> {
  /** Names the list where its layout is kept. */
  readonly list: string
  /** What a row is, wherever it moves. It is the same function for as long as the rows are. */
  keyOf(index: number): Key
  /** The row of the cursor at first. */
  readonly first?: Key | undefined
  /** The row of the cursor, and how it is changed, where the page has a say in it. */
  readonly cursor?: readonly [now: Key | undefined, change: (key: Key | undefined) => void] | undefined
  /** Rows are shown in the side panel: whether one is, which undefined says none is; a row was asked for there, or the cursor went to one. */
  readonly sidePanel?: PanelRows | undefined
  /** Rows can be chosen, by `x`, by Shift-x, by their boxes. */
  readonly choice?: Pick<Choice<unknown>, 'isChosen' | 'toggle'> | undefined
}

/**
 * The list of a page: its cursor stays with its row wherever a change moves it, its columns are those that were chosen, and
 * the keys of lists work wherever the focus is.
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
          // where the page was opened with a row next to it, the cursor is on none yet
          const from = active >= 0 ? active : shownIndexOf(sidePanel.isShown, count)
          if (from >= 0 && from + step >= 0 && from + step < count) setActive(from + step)
        }),
  )
  useShortcuts(
    choice === undefined
      ? []
      : [
          { keys: 'x', label: 'Select or deselect the row', run: choose(false) },
          { keys: 'X', label: 'Choose all rows from the one chosen last to this one', run: choose(true) },
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
