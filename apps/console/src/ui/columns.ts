import { useMemo } from 'react'
import { createKept, type Kept } from '../lib/kept.ts'
import { useListSearch } from '../lib/list-search.ts'
import type { TableColumn } from './table.tsx'

/** How one laid out a list in this browser. */
export interface ColumnLayout {
  /** Keys of the columns; undefined: as the list comes. */
  readonly shown?: readonly string[]
  /** Pixels of columns whose width was set. */
  readonly widths: Readonly<Record<string, number>>
}

/** Pixels: a column stays wide enough to be grasped, and within a screen. */
export const LEAST_WIDTH = 40
export const MOST_WIDTH = 1_200

export function readColumnLayout(kept: unknown): ColumnLayout {
  const { shown, widths } = isRecord(kept) ? kept : {}
  const set = Object.entries(isRecord(widths) ? widths : {}).filter((entry): entry is [string, number] => isWidth(entry[1]))
  return {
    ...(Array.isArray(shown) && shown.every((key) => typeof key === 'string') ? { shown } : {}),
    widths: Object.fromEntries(set),
  }
}

/** A width as it may be kept. */
export const toWidth = (pixels: number): number => Math.round(Math.max(LEAST_WIDTH, Math.min(MOST_WIDTH, pixels)))

type Column = Pick<TableColumn<never>, 'key' | 'isExtra' | 'width'>

/** The columns that are shown, in the order of the list. The first names the row and always is; unknown keys are left out. */
export function shownColumns<One extends Column>(columns: readonly One[], { shown, widths }: ColumnLayout): readonly One[] {
  const isShown = ({ key, isExtra = false }: One, i: number): boolean => i === 0 || (shown === undefined ? !isExtra : shown.includes(key))
  return columns.filter(isShown).map((column) => {
    const width = widths[column.key]
    return width === undefined ? column : { ...column, width: `${width}px` }
  })
}

/** The keys after a column was taken in or out; undefined where that is how the list comes. */
export function withColumn(columns: readonly Column[], layout: ColumnLayout, key: string, isShown: boolean): readonly string[] | undefined {
  const now = new Set(shownColumns(columns, layout).map((column) => column.key))
  if (isShown) now.add(key)
  else now.delete(key)
  const usual = shownColumns(columns, { widths: {} }).map((column) => column.key)
  const keys = columns.map((column) => column.key).filter((one) => now.has(one))
  return keys.join() === usual.join() ? undefined : keys
}

const layouts = new Map<string, Kept<ColumnLayout>>()

/** Where the layout of a list is kept. */
export function columnsOf(list: string): Kept<ColumnLayout> {
  const known = layouts.get(list) ?? createKept(`columns.${list}`, readColumnLayout)
  layouts.set(list, known)
  return known
}

/** Sets the width of a column, within its limits; undefined: as the list comes. */
export function setWidth(list: string, key: string, pixels: number | undefined): void {
  const kept = columnsOf(list)
  const { [key]: _before, ...others } = kept.get().widths
  kept.set({ ...kept.get(), widths: pixels === undefined || Number.isNaN(pixels) ? others : { ...others, [key]: toWidth(pixels) } })
}

/** How a list is laid out: by its address where that says it, else as was chosen for this browser. */
export function useColumnLayout(list: string): ColumnLayout {
  const { cols } = useListSearch()
  const layout = columnsOf(list).use()
  return useMemo(() => layoutOf(cols, layout), [cols, layout])
}

/** The layout of a list: the columns that its address names, if it names any, otherwise those that this browser keeps. */
export const layoutOf = (cols: string | undefined, kept: ColumnLayout): ColumnLayout =>
  cols === undefined ? kept : { ...kept, shown: cols.split(',') }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isWidth = (value: unknown): value is number => typeof value === 'number' && value >= LEAST_WIDTH && value <= MOST_WIDTH
