import { useShortcuts } from '../lib/keys.ts'

export interface TableKeysProps {
  readonly count: number
  readonly active: number
  onActive(index: number): void
  onOpen(index: number): void
  /** Where a row can be told of beside the list. */
  onBeside?: ((index: number) => void) | undefined
}

/** `j`, `k`, `o` and Enter for the one table of a page, wherever the focus is outside of inputs. */
export function useTableKeys({ count, active, onActive, onOpen, onBeside }: TableKeysProps): void {
  const withActive = (run: (index: number) => void) => (): void => {
    if (active >= 0 && active < count) run(active)
  }
  useShortcuts([
    { keys: 'j', label: 'Next row', run: () => count > 0 && onActive(Math.min(count - 1, active + 1)) },
    { keys: 'k', label: 'Previous row', run: () => count > 0 && onActive(Math.max(0, active - 1)) },
    { keys: 'Enter', label: 'Open the row', run: withActive(onOpen) },
    onBeside === undefined
      ? { keys: 'o', label: 'Open the row', run: withActive(onOpen) }
      : { keys: 'o', label: 'Show the row beside the list, or not', run: withActive(onBeside) },
  ])
}
