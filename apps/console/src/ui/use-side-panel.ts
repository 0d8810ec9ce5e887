import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useShortcuts } from '../lib/keys.ts'
import { type ListSearch, type Step, useListGo, useListSearch } from '../lib/list-search.ts'

/** Who holds a key down goes through rows faster than the service can show them. */
const FOLLOW_MS = 150

/** The row that is shown next to its list. */
export interface SidePanelState {
  /** What names it in the address; undefined: there is none. */
  readonly id: string | undefined
  /** Whether there is room in the side panel. */
  readonly isWide: boolean
  /** Shows a row, or none if it is shown. */
  toggle(id: string): void
  /** The cursor went to a row: it is shown in the place of another. */
  follow(id: string): void
  close(): void
}

/** `o` shows a row next to its list, which stays where it is; then the one that the cursor goes to, until Escape. All of it in the address. */
export function useSidePanel(): SidePanelState {
  const { beside: id } = useListSearch()
  const go = useListGo()
  const isWide = useMediaQuery('(min-width: 1000px)', undefined, { getInitialValueInEffect: false }) ?? true
  const isOpen = id !== undefined
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const show = useCallback(
    (next: Step<ListSearch>, how?: 'typing') => {
      clearTimeout(timer.current)
      go(next, how)
    },
    [go],
  )
  const close = useCallback(() => show({ beside: undefined }), [show])
  const toggle = useCallback((next: string) => show((now) => ({ beside: next === now.beside ? undefined : next })), [show])
  const follow = useCallback(
    (next: string): void => {
      clearTimeout(timer.current)
      if (isOpen) timer.current = setTimeout(() => show({ beside: next }, 'typing'), FOLLOW_MS)
    },
    [show, isOpen],
  )
  useShortcuts(isOpen ? [{ keys: 'Escape', label: 'Close the side panel', run: close }] : [])
  return { id, isWide, toggle, follow, close }
}

/** What a list's keys and its cursor do; undefined where a row is not shown, or there is no room for it. */
export function useSidePanelKeys({ id, isWide, toggle, follow }: SidePanelState, idAt: ((index: number) => string) | undefined) {
  return useMemo(
    () =>
      isWide && idAt !== undefined
        ? {
            isShown: id === undefined ? undefined : (index: number) => idAt(index) === id,
            onToggle: (index: number) => toggle(idAt(index)),
            onFollow: (index: number) => follow(idAt(index)),
          }
        : undefined,
    [id, isWide, toggle, follow, idAt],
  )
}
