import { useMemo } from 'react'
import { createKept, type Kept } from '../../lib/browser/kept.ts'
import { useListSearch } from '../../lib/browser/list-search.ts'
import type { TableColumn } from './table.tsx'

/** The layout of a list in this browser. */
export interface ColumnLayout {
  /** The keys of the shown columns. If undefined, the list shows its default columns. */
  readonly shown?: readonly string[]
  /** The widths that the user has set, in pixels, by column key. Other columns have their default width. */
  readonly widths: Readonly<Record<string, number>>
}

/** The limits of a column's width in pixels. A column stays wide enough for the pointer, and narrower than a screen. */
export const MIN_WIDTH = 40
export const MAX_WIDTH = 1_200

export function readColumnLayout(kept: unknown): ColumnLayout {
  const { shown, widths } = isRecord(kept) ? kept : {}
  const set = Object.entries(isRecord(widths) ? widths : {}).filter((entry): entry is [string, number] => isWidth(entry[1]))
  return {
    ...(Array.isArray(shown) && shown.every((key) => typeof key === 'string') ? { shown } : {}),
    widths: Object.fromEntries(set),
  }
}

/** Rounds a width to whole pixels and clamps it to the limits. */
export const toWidth = (pixels: number): number => Math.round(Math.max(MIN_WIDTH, Math.min(MAX_WIDTH, pixels)))

type Column = Pick<TableColumn<never>, 'key' | 'isExtra' | 'width'>

/** The shown columns, in the order of the list. The first column names the row and is always shown. Unknown keys are ignored. */
export function shownColumns<One extends Column>(columns: readonly One[], { shown, widths }: ColumnLayout): readonly One[] {
  const isShown = ({ key, isExtra = false }: One, i: number): boolean => i === 0 || (shown === undefined ? !isExtra : shown.includes(key))
  return columns.filter(isShown).map((column) => {
    const width = widths[column.key]
    return width === undefined ? column : { ...column, width: `${width}px` }
  })
}

/** The keys of the shown columns after one column is added or removed. Undefined if these are the default columns. */
export function withColumn(columns: readonly Column[], layout: ColumnLayout, key: string, isShown: boolean): readonly string[] | undefined {
  const now = new Set(shownColumns(columns, layout).map((column) => column.key))
  if (isShown) now.add(key)
  else now.delete(key)
  const usual = shownColumns(columns, { widths: {} }).map((column) => column.key)
  const keys = columns.map((column) => column.key).filter((one) => now.has(one))
  return keys.join() === usual.join() ? undefined : keys
}

const layouts = new Map<string, Kept<ColumnLayout>>()

/** The layout of a list that this browser stores. */
export function columnsOf(list: string): Kept<ColumnLayout> {
  const known = layouts.get(list) ?? createKept(`columns.${list}`, readColumnLayout)
  layouts.set(list, known)
  return known
}

/** Sets the width of a column. The width is clamped to the limits. Undefined restores the default width. */
export function setWidth(list: string, key: string, pixels: number | undefined): void {
  const kept = columnsOf(list)
  const { [key]: _before, ...others } = kept.get().widths
  kept.set({ ...kept.get(), widths: pixels === undefined || Number.isNaN(pixels) ? others : { ...others, [key]: toWidth(pixels) } })
}

/** A hook that returns the layout of a list: the columns in the URL or, without those, the layout that this browser stores. */
export function useColumnLayout(list: string): ColumnLayout {
  const { cols } = useListSearch()
  const layout = columnsOf(list).use()
  return useMemo(() => layoutOf(cols, layout), [cols, layout])
}

/** The layout of a list. The columns in the URL take precedence over those that this browser stores. */
export const layoutOf = (cols: string | undefined, kept: ColumnLayout): ColumnLayout =>
  cols === undefined ? kept : { ...kept, shown: cols.split(',') }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isWidth = (value: unknown): value is number => typeof value === 'number' && value >= MIN_WIDTH && value <= MAX_WIDTH
