import { useShortcuts } from '../lib/keys.ts'

export interface TableKeysProps {
  readonly count: number
  readonly active: number
  onActive(index: number): void
  onOpen(index: number): void
}

/** `j`, `k`, `o` and Enter for the one table of a page, wherever the focus is outside of inputs. */
export function useTableKeys({ count, active, onActive, onOpen }: TableKeysProps): void {
  useShortcuts([
    { keys: 'j', label: 'Next row', run: () => count > 0 && onActive(Math.min(count - 1, active + 1)) },
    { keys: 'k', label: 'Previous row', run: () => count > 0 && onActive(Math.max(0, active - 1)) },
    { keys: 'Enter', label: 'Open the row', run: () => active >= 0 && active < count && onOpen(active) },
    { keys: 'o', label: 'Open the row', run: () => active >= 0 && active < count && onOpen(active) },
  ])
}
