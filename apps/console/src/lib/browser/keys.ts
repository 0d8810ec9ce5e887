import { notifications } from '@mantine/notifications'
import { useLayoutEffect } from 'react'
import { currentAt, whyNoWrites } from '../service/travel.ts'
import { useLatest } from '../service/use-latest.ts'
import { preference } from './preferences.ts'

/** One entry of the keyboard map. `keys`: one key (`/`), a sequence (`g h`), or with Shift the resulting character (`?`, `X`). */
export interface Shortcut {
  readonly keys: string
  /** The description of the key, for the help. */
  readonly label: string
  /** True if the key starts a change. Such keys are switched off while the console shows the past. */
  readonly isWrite?: boolean
  run(): void
}

interface Registered {
  readonly shortcuts: () => readonly Shortcut[]
}

/** The latest registration comes first, so that the keys of a page take precedence over those that all pages have. */
const registered: Registered[] = []
const SEQUENCE_MS = 1_500
const sequence = createKeySequence()

/** Registers keys that work while the component is mounted, outside of inputs. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const latest = useLatest(shortcuts)
  // registered before the browser paints, so that the keys of everything visible work
  useLayoutEffect(() => {
    const entry: Registered = { shortcuts: () => latest.current }
    registered.unshift(entry)
    return () => void registered.splice(registered.indexOf(entry), 1)
  }, [latest])
}

/** All shortcuts that have an effect at present, for the help and for handling keys. */
export const activeShortcuts = (): readonly Shortcut[] => {
  const seen = new Set<string>()
  return registered.flatMap(({ shortcuts }) => shortcuts()).filter(({ keys }) => !seen.has(keys) && seen.add(keys))
}

/** A hook that handles the keyboard shortcuts of all components. Only the shell calls it. */
export function useKeyboard(): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (
        preference('shortcuts') === 'off' ||
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.defaultPrevented ||
        isTyping(event.target) ||
        isInMenu(event.target)
      )
        return
      if (isDialogOpen() || (event.key === 'Enter' && isOwnStop(event.target))) return
      const found = sequence.read(event.key, event.timeStamp, activeShortcuts())
      if (found === undefined) return
      event.preventDefault()
      const at = found.isWrite === true ? currentAt() : undefined
      if (at === undefined) found.run()
      else notifications.show({ message: whyNoWrites(at), color: 'yellow', closeButtonProps: { 'aria-label': 'Close' } })
    }
    window.addEventListener('keydown', listen)
    return () => window.removeEventListener('keydown', listen)
  }, [])
}

/**
 * Finds shortcuts in the pressed keys. After `g`, the next key completes `g h` if it is an `h` and is pressed within SEQUENCE_MS
 * milliseconds.
 */
export interface KeySequence {
  /** Returns the shortcut that this key completes, if any. `atMs` is the time of the key press in milliseconds. */
  read(key: string, atMs: number, all: readonly Shortcut[]): Shortcut | undefined
}

export function createKeySequence(): KeySequence {
  let pending: { readonly key: string; readonly atMs: number } | undefined
  return {
    read(key, atMs, all) {
      const before = pending !== undefined && atMs - pending.atMs < SEQUENCE_MS ? pending.key : undefined
      pending = undefined
      const found = before === undefined ? undefined : all.find(({ keys }) => keys === `${before} ${key}`)
      if (found !== undefined) return found
      if (all.some(({ keys }) => keys.startsWith(`${key} `))) {
        pending = { key, atMs }
        return undefined
      }
      return all.find(({ keys }) => keys === key)
    },
  }
}

/** True while a dialog is open. Shortcuts of the page then have no effect, because the page can contain a draft. */
export const isDialogOpen = (): boolean => document.querySelector('[aria-modal=true]') !== null

/** True if the element handles Enter itself, as links and buttons do. */
const isOwnStop = (target: EventTarget | null): boolean => target instanceof Element && target.closest('a, button, [tabindex="0"]') !== null

/** True if the element is in a menu. A menu handles keys itself: letters select its entries. */
const isInMenu = (target: EventTarget | null): boolean => target instanceof Element && target.closest('[role=menu]') !== null

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement || isTextInput(target))

const isTextInput = (target: HTMLElement): boolean =>
  target instanceof HTMLInputElement && !['checkbox', 'radio', 'button', 'submit', 'range'].includes(target.type)
