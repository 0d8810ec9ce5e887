import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { useShortcuts } from '../../lib/browser/keys.ts'
import { type ListSearch, type Step, useListGo, useListSearch } from '../../lib/browser/list-search.ts'

/** The panel follows the cursor after this many milliseconds, because the cursor moves quickly while a key is held down. */
const FOLLOW_MS = 150

/** The row in the side panel. */
export interface SidePanelState {
  /** The id of the row in the panel, from the URL. Undefined if the panel is closed. */
  readonly id: string | undefined
  /** True if the page is wide enough for the side panel. */
  readonly isWide: boolean
  /** Shows a row. If the panel already shows this row, closes the panel. */
  toggle(id: string): void
  /** If the panel is open, shows the row that the cursor moved to. */
  follow(id: string): void
  close(): void
}

/** The key `o` shows a row in the side panel. The panel then follows the cursor until Escape. The URL contains the shown row. */
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

/**
 * The handlers for the keys and the cursor of a list with a side panel. Undefined if the page is too narrow for the panel, or if the list
 * has no panel. `isShown` is undefined while the panel is closed.
 */
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
