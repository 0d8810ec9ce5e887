import { hostFields, parseQuery, printQuery } from '@gantt/scheduler-core/query'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { shownNow } from '../../../lib/service/clock.ts'
import type { Fleet } from '../fleet.ts'
import { ofVerdict, type Verdicts } from '../map/verdicts.ts'
import { readSort } from '../search.ts'
import { orderByName, orderHosts } from './order-hosts.ts'
import { type HostSelection, selectHosts } from './select-hosts.ts'

/** A verdict of a decision to which the list is restricted. */
export interface OnlyVerdict {
  readonly verdicts: Verdicts
  readonly key: string
}

export interface HostList {
  readonly selection: HostSelection
  /** The rows to show. They are not updated while the operator is using them. */
  readonly ordinals: Uint32Array
  /** The filter as its canonical text. */
  readonly text: string
}

/**
 * The hosts that match a filter, in order. A change of the filter needs no sorting, because all hosts are already sorted. After a live
 * change the hosts are filtered and sorted again. This happens at most once a second, because the service sends changes at this rate, and
 * not while the operator is using the rows.
 */
export function useHostList(fleet: Fleet, filter: string, sort: string, isHeld: boolean, only?: OnlyVerdict): HostList {
  const { store } = fleet
  const { query, problems } = useMemo(() => parseQuery(filter, hostFields), [filter])
  const { namesVersion } = store
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place, its names with namesVersion
  const names = useMemo(() => orderByName(store), [store, namesVersion])
  const orders = useMemo(() => readSort(sort), [sort])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place; each change of it is a new fleet
  const order = useMemo(() => orderHosts(store, names, orders), [fleet, names, orders])
  const among = useMemo(() => (only === undefined ? order : ofVerdict(order, only.verdicts, only.key)), [order, only])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store changes in place; each change of it is a new fleet
  const selection = useMemo(() => selectHosts(store, query, among, shownNow()), [fleet, among, query])

  const found = { ordinals: selection.ordinals, filter, sort, only }
  const shown = useRef(found)
  const { current: before } = shown
  const isSame = before.filter === filter && before.sort === sort && before.only === only
  const { ordinals } = isHeld && isSame ? before : found
  // stored in an effect, because React can discard a rendering, and its rows were then never shown
  useLayoutEffect(() => {
    shown.current = { ordinals, filter, sort, only }
  }, [ordinals, filter, sort, only])
  return useMemo(() => {
    const text = problems.length === 0 ? printQuery(query) : filter
    return { selection, ordinals, text }
  }, [selection, ordinals, query, problems, filter])
}

const HIGHLIGHT_MS = 1_500

/** Detects whether the operator used the pointer or the keyboard within an element in the last HIGHLIGHT_MS milliseconds. */
export function useHand(): { readonly isHeld: boolean; readonly handlers: { onPointerMove(): void; onKeyDown(): void } } {
  const [isHeld, setHeld] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const [handlers] = useState(() => {
    const move = (): void => {
      setHeld(true)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setHeld(false), HIGHLIGHT_MS)
    }
    return { onPointerMove: move, onKeyDown: move }
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return { isHeld, handlers }
}
