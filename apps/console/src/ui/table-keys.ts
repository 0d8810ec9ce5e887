import { type Shortcut, useShortcuts } from '../lib/keys.ts'

export interface TableKeysProps {
  readonly count: number
  readonly active: number
  onActive(index: number): void
  onOpen(index: number): void
  /** Brings the focus to the table. */
  onFocus(): void
  /** Where a row can be shown in the side panel. */
  onTogglePanel?: ((index: number) => void) | undefined
}

/**
 * `j`, `k`, `o` and Enter for the one table of a page, wherever the focus is outside of inputs. Who moves the cursor has the
 * focus in the table from then on: on a button, Enter would still be the button's. Undefined: the keys are not this table's.
 */
export function useTableKeys(table: TableKeysProps | undefined): void {
  useShortcuts(table === undefined ? [] : keysOf(table))
}

function keysOf({ count, active, onActive, onOpen, onFocus, onTogglePanel }: TableKeysProps): Shortcut[] {
  const move = (index: number) => (): void => {
    if (count === 0) return
    onFocus()
    onActive(Math.max(0, Math.min(count - 1, index)))
  }
  const withActive = (run: (index: number) => void) => (): void => {
    if (active >= 0 && active < count) run(active)
  }
  return [
    { keys: 'j', label: 'Next row', run: move(active + 1) },
    { keys: 'k', label: 'Previous row', run: move(active - 1) },
    { keys: 'Enter', label: 'Open the row', run: withActive(onOpen) },
    onTogglePanel === undefined
      ? { keys: 'o', label: 'Open the row', run: withActive(onOpen) }
      : { keys: 'o', label: 'Show or hide the row in the side panel', run: withActive(onTogglePanel) },
  ]
}
