import { type Shortcut, useShortcuts } from '../../lib/browser/keys.ts'

export interface TableKeysProps {
  readonly count: number
  readonly active: number
  onActive(index: number): void
  onOpen(index: number): void
  /** Moves the focus to the table. */
  onFocus(): void
  /** Shows a row in the side panel, or closes the panel. Absent if the table has no side panel. */
  onTogglePanel?: ((index: number) => void) | undefined
}

/**
 * Registers `j`, `k`, `o` and Enter for the main table of a page. They work wherever the focus is, except in inputs. Moving the cursor with
 * `j` or `k` also focuses the table, because Enter would otherwise press the button that has the focus. `table` is undefined if the keys do
 * not belong to this table.
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
